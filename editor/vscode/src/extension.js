// Starts `grognard lsp` and connects the editor to it.  All that it knows of the language is in the server.
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {import("vscode-languageclient/node").LanguageClient | undefined} */
let client;

/**
 * The server's command: what the settings say, else the one of the workspace's environment, else the one on the path.
 * @returns {string[]}
 */
function serverCommand() {
  /** @type {string[]} */
  const wanted = vscode.workspace.getConfiguration("grognard").get("command") ?? [];
  if (wanted.length > 0) return wanted;
  const inEnvironment = process.platform === "win32" ? ["Scripts", "grognard.exe"] : ["bin", "grognard"];
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const found = path.join(folder.uri.fsPath, ".venv", ...inEnvironment);
    if (fs.existsSync(found)) return [found, "lsp"];
  }
  return ["grognard", "lsp"];
}

/** Start the server; a message says what to do where that fails. */
async function start() {
  const [command, ...args] = serverCommand();
  client = new LanguageClient(
    "grognard",
    "Grognard",
    { command, args },
    {
      documentSelector: [
        { scheme: "file", language: "grog" },
        { scheme: "file", language: "yaml" },
      ],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{grog,yaml}") },
    },
  );
  try {
    await client.start();
  } catch (reason) {
    const settings = "Open settings";
    const said = await vscode.window.showErrorMessage(
      `Grognard: \`${[command, ...args].join(" ")}\` does not start (${reason}). ` +
        "Install it with `pip install 'grognard[editor]'`, or name it in the setting grognard.command.",
      settings,
    );
    if (said === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "grognard.command");
    }
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old?.needsStop()) await old.stop();
}

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  const again = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("grognard.restart", again),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("grognard.command")) void again();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
