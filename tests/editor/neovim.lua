-- Neovim as the editor: attach to `grognard lsp`, wait for what it says, and answer on standard output as JSON.
-- Arguments: the server's Python, the folder, the file, what is written instead of what, line and column to ask about.
local python, folder, file, old, new, line, column = unpack(vim.fn.json_decode(vim.env.GROGNARD_NVIM))
vim.cmd("edit " .. vim.fn.fnameescape(file))
local client = vim.lsp.start_client({ cmd = { python, "-m", "grognard.cli.main", "lsp" }, root_dir = folder })
vim.lsp.buf_attach_client(0, client)
local function wait(what, holds)
  if not vim.wait(120000, holds, 50) then error("never came: " .. what) end
end
wait("the server", function() local c = vim.lsp.get_client_by_id(client) return c ~= nil and c.initialized end)
vim.cmd("%s/" .. old .. "/" .. new .. "/")
wait("the message", function() return #vim.diagnostic.get(0) > 0 end)
local said = vim.diagnostic.get(0)[1]
local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") end
vim.api.nvim_win_set_cursor(0, { said.lnum + 1, said.col })
local where = vim.lsp.util.make_range_params()
where.context = { diagnostics = vim.lsp.diagnostic.get_line_diagnostics(0) }
local mends = vim.lsp.buf_request_sync(0, "textDocument/codeAction", where, 60000)[client].result
vim.lsp.util.apply_workspace_edit(mends[1].edit, vim.lsp.get_client_by_id(client).offset_encoding)
local mended = text()
wait("the end of the message", function() return #vim.diagnostic.get(0) == 0 end)
local place = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = column } }
local function ask(method)
  local found = vim.lsp.buf_request_sync(0, method, place, 60000)
  return found[client].result
end
local shown = ask("textDocument/hover")
local items = ask("textDocument/completion").items
vim.lsp.buf.formatting_sync({ tabSize = 2, insertSpaces = true }, 60000)
io.stdout:write(vim.fn.json_encode({
  message = said.message,
  line = said.lnum,
  hover = shown.contents.value,
  choices = vim.tbl_map(function(item) return item.label end, items),
  action = mends[1].title,
  mended = mended,
  formatted = text(),
}))
vim.cmd("qall!")
