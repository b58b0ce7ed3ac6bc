// @ts-check
/** Which page is wanted: the lobby, a game, an invitation. */

import { get, post } from "./api.js";
import { el, h } from "./dom.js";
import { lobby } from "./lobby.js";
import { Table } from "./table.js";

/** @type {Table|null} */
let table = null;

/** @param {string} path */
function go(path) {
  history.pushState(null, "", path);
  route();
}

async function route() {
  table?.stop();
  table = null;
  const main = el("main");
  const [, kind, id] = location.pathname.split("/");
  try {
    if (kind === "join" && id) {
      const reply = await post("/api/join", { invitation: decodeURIComponent(id) });
      history.replaceState(null, "", `/g/${reply.game}`);
      return void route();
    }
    if (kind === "g" && id) {
      table = new Table(id, main, (game) => {
        history.replaceState(null, "", `/g/${game}`);
        route();
      });
      await table.start();
    } else await lobby(main, (game) => go(`/g/${game}`));
  } catch (problem) {
    main.className = "lobby";
    main.replaceChildren(h("p", { class: "problem", role: "alert" }, problem instanceof Error ? problem.message : String(problem)), h("p", {}, h("a", { href: "/" }, "To the lobby")));
    el("connection").textContent = "offline";
    el("connection").dataset.state = "offline";
  }
}

el("home").addEventListener("click", (event) => {
  event.preventDefault();
  go("/");
});
addEventListener("popstate", route);
// For tests and the curious: how many nodes are alive, and which game is open.
Object.assign(globalThis, { grognardTable: { game: () => table, get } });
route();
