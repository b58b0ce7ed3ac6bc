// @ts-check
/** The lobby: what can be played, games that wait for me, seats that are open. */

import { accountSection } from "./account.js";
import { Refused, get, post } from "./api.js";
import { el, h, words } from "./dom.js";

/** Times that a clock can be set to, in seconds. */
const WHOLE = [[600, "10 minutes"], [1800, "30 minutes"], [3600, "1 hour"], [10800, "3 hours"], [86400, "1 day"], [604800, "1 week"]];
const ANSWER = [[60, "1 minute"], [300, "5 minutes"], [3600, "1 hour"], [86400, "1 day"], [259200, "3 days"], [604800, "1 week"]];

/** @param {HTMLElement} main @param {(game: string) => void} open */
export async function lobby(main, open) {
  main.className = "lobby";
  el("heading").textContent = "";
  document.title = "Grognard";
  const again = () => void lobby(main, open).then(() => main.focus());
  const [{ titles }, { games }, account] = await Promise.all([get("/api/titles"), get("/api/games"), accountSection(again)]);
  el("connection").textContent = "ready";
  el("connection").dataset.state = "live";
  const made = h("p", { class: "problem", role: "alert" });
  main.replaceChildren(
    ...(account ? [account] : []),
    h("section", { "aria-label": "games" }, h("h2", {}, "Games"), games.length ? h("ul", { class: "games" }, ...games.map((/** @type {any} */ game) => gameItem(game, titles.find((/** @type {any} */ one) => one.id === game.title), open, made))) : h("p", {}, "None yet.")),
    h("section", { class: "new-game", "aria-label": "new game" }, h("h2", {}, "New game"), made, h("ul", { class: "titles" }, ...titles.map((/** @type {any} */ title) => titleItem(title, open, made))), openSave(open, made)));
  if (titles.some((/** @type {any} */ title) => title.problems))
    setTimeout(() => main.isConnected && main.querySelector(".new-game .excerpts") && void lobby(main, open), MENDED);
}

/** @param {any} game @param {any} title what is known of its title, if it is still there @param {(game: string) => void} open @param {HTMLElement} problem */
function gameItem(game, title, open, problem) {
  const scenario = title?.scenarios.find((/** @type {any} */ one) => one.id === game.scenario);
  const called = (/** @type {string} */ seat) => scenario?.seats.find((/** @type {any} */ one) => one.seat === seat)?.name || words(seat);
  const used = game.seats.filter((/** @type {any} */ one) => !scenario?.seats.length || scenario.seats.some((/** @type {any} */ other) => other.seat === one.seat));
  const seats = used.map((/** @type {any} */ one) => `${called(one.seat)}: ${one.name || (game.me?.includes(one.seat) ? "you" : one.kind)}`).join(", ");
  const free = game.me?.length ? [] : game.seats.filter((/** @type {any} */ one) => one.kind === "open");
  return h("li", { class: game.mine_to_move ? "due" : "" },
    h("button", { type: "button", onclick: () => open(game.game) }, `${game.name || title?.name || words(game.title)}, ${scenario?.name || words(game.scenario)}`),
    ` ${seats}; ${game.mine_to_move ? "your turn" : game.status}`,
    ...free.map((/** @type {any} */ one) => h("button", { type: "button", onclick: async () => {
      try {
        await post("/api/join", { game: game.game, seat: one.seat });
        open(game.game);
      } catch (trouble) {
        problem.textContent = trouble instanceof Error ? trouble.message : "";
      }
    } }, `play ${called(one.seat)}`)));
}

/** A save file of the terminal or of a table is played on. @param {(game: string) => void} open @param {HTMLElement} problem */
function openSave(open, problem) {
  const file = /** @type {HTMLInputElement} */ (h("input", { type: "file", "aria-label": "save file" }));
  file.addEventListener("change", async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    problem.textContent = "";
    try {
      open((await post("/api/import", { save: await chosen.text() })).game);
    } catch (trouble) {
      problem.textContent = trouble instanceof Error ? trouble.message : "";
    }
    file.value = "";
  });
  return h("p", { class: "saved" }, h("label", {}, "Go on with a save file: ", file));
}

/** Milliseconds until it is looked again whether a title has been mended. */
const MENDED = 1500;

/** @param {any} title @param {(game: string) => void} open @param {HTMLElement} problem */
function titleItem(title, open, problem) {
  if (title.problems)
    return h("li", {}, h("b", {}, title.name), " has mistakes:", h("pre", { class: "excerpts", tabindex: 0, role: "region", "aria-label": `mistakes of ${title.name}` }, title.problems));
  const form = /** @type {HTMLFormElement} */ (h("form", { class: "new", "data-title": title.id }));
  const scenario = /** @type {HTMLSelectElement} */ (h("select", { name: "scenario" }, ...title.scenarios.map((/** @type {any} */ one) => h("option", { value: one.id }, one.name || words(one.id)))));
  const seats = h("div", { class: "seats" });
  const about = h("p", { class: "about" });
  const choices = h("div", { class: "options" });
  const start = h("button", { class: "main" });
  const fill = () => {
    const chosen = title.scenarios.find((/** @type {any} */ one) => one.id === scenario.value) || title.scenarios[0];
    about.textContent = chosen?.about || "";
    seats.replaceChildren(...(chosen?.seats || []).map((/** @type {any} */ one, /** @type {number} */ index) => h("label", {}, `${one.name || words(one.seat)} `,
      h("select", { name: `seat:${one.seat}` }, h("option", { value: "me" }, "me"), h("option", { value: "open" }, "by invitation"),
        ...title.bots.map((/** @type {string} */ bot) => h("option", { value: `bot:${bot}`, selected: index > 0 && bot === "greedy" }, `bot ${bot}`))))));
    // Who plays is to be chosen before it starts.
    start.toggleAttribute("disabled", !chosen?.seats.length);
    start.textContent = chosen?.seats.length ? "Start" : "Reading the rules ...";
    const options = (title.options || []).filter((/** @type {any} */ one) => !one.scenarios || one.scenarios.includes(chosen?.id));
    choices.replaceChildren(...(options.length ? [h("details", { class: "rules" }, h("summary", {}, `Optional rules (${options.length})`), ...options.map(optionChoice))] : []));
  };
  const begin = () => {
    if (title.scenarios.some((/** @type {any} */ one) => one.id === title.default)) scenario.value = title.default;
    fill();
  };
  scenario.addEventListener("change", fill);
  begin();
  const known = async () => {
    // Seats of a title that nobody has opened yet are not known at once.
    if (!details.hasAttribute("open") || title.scenarios.some((/** @type {any} */ one) => one.seats.length)) return;
    try {
      const told = await get(`/api/titles/${encodeURIComponent(title.id)}`);
      title = { ...title, ...(told.title && typeof told.title === "object" ? told.title : told) };
      begin();
    } catch (trouble) {
      problem.textContent = trouble instanceof Error ? trouble.message : "";
    }
  };
  form.append(h("label", {}, "Scenario ", scenario), about, seats,
    h("label", {}, "Undo ", h("select", { name: "undo" }, h("option", { value: "fair" }, "fair"), h("option", { value: "free" }, "free"), h("option", { value: "none" }, "none"))),
    choices,
    timeChoice("Clock: each has in all ", "total", WHOLE), timeChoice("Clock: for one answer ", "move", ANSWER),
    h("label", {}, h("input", { type: "checkbox", name: "listed", value: "yes", checked: true }), " open seats are in everybody's list"),
    start);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    const data = new FormData(form);
    /** @type {Record<string, string>} */
    const wanted = {};
    for (const [name, value] of data) if (name.startsWith("seat:")) wanted[name.slice(5)] = String(value);
    start.setAttribute("disabled", "");
    try {
      const clock = Object.fromEntries(["total", "move"].filter((name) => data.get(name)).map((name) => [name, Number(data.get(name))]));
      const timed = Object.keys(clock).length ? { clock } : {};
      const set = Object.fromEntries([...data].filter(([name, value]) => name.startsWith("option:") && value !== "").map(([name, value]) => [name.slice(7), String(value)]));
      const optional = Object.keys(set).length ? { options: set } : {};
      const listed = data.get("listed") ? {} : { listed: false };
      const reply = await post("/api/games", { title: title.id, scenario: scenario.value, seats: wanted, undo: String(data.get("undo")), ...timed, ...optional, ...listed });
      open(reply.game);
    } catch (trouble) {
      problem.textContent = trouble instanceof Refused ? trouble.message + (trouble.hint ? `; ${trouble.hint}` : "") : String(trouble);
      start.removeAttribute("disabled");
    }
  });
  const wanted = new URLSearchParams(location.search).get("title") === title.id;
  const details = h("details", { name: "title", open: wanted, ontoggle: known }, h("summary", {}, h("b", {}, title.name), title.about ? h("small", {}, ` ${title.about}`) : null), form);
  return h("li", {}, details);
}

/** A rule that a game may have or not: as the scenario has it, or otherwise. @param {any} option */
function optionChoice(option) {
  const name = `option:${option.name}`;
  const input = option.values
    ? h("select", { name }, h("option", { value: "" }, "as the scenario says"), ...option.values.map((/** @type {string} */ value) => h("option", { value }, words(value))))
    : h("input", { name, placeholder: "as the scenario says", size: 18 });
  return h("label", { title: option.cites?.join(", ") || null }, `${words(option.name)} `, input, option.cites?.length ? h("small", {}, ` ${option.cites.join(", ")}`) : null);
}

/** @param {string} label @param {string} name @param {(string|number)[][]} times */
function timeChoice(label, name, times) {
  return h("label", {}, label, h("select", { name }, h("option", { value: "" }, "no limit"), ...times.map(([seconds, text]) => h("option", { value: seconds }, String(text)))));
}
