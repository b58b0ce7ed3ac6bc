// @ts-check
/** One game at the table: stream, board, question, panels.  Longer than 500 lines: one object holds what the page knows. */

import { Agreeing } from "./agreeing.js";
import { Refused, Stream, get, send } from "./api.js";
import { Asking } from "./asking.js";
import { Board } from "./board.js";
import { announce, el, h, words } from "./dom.js";
import { Editing } from "./editing.js";
import { Overlays } from "./overlays.js";
import { counterButtons, counterDetails, logItems, statePanel } from "./panels.js";
import { People } from "./people.js";
import { Pointing } from "./pointing.js";
import { meant, questionPanel } from "./question.js";
import { Replay } from "./replay.js";
import { tellRules } from "./rulesnews.js";
import { closeChooser, connection, dice, outcome, svg, waiting } from "./telling.js";
import { View } from "./view.js";
import { nearby, placeWords, wordsPanel } from "./words.js";

/** A late event must never move a button under a click. */
const FREEZE = 250;
const TABS = ["log", "state", "words", "chat"];

export class Table {
  /** @param {string} game @param {HTMLElement} main @param {(game: string) => void} follow goes on with another game */
  constructor(game, main, follow) {
    this.game = game;
    this.follow = follow;
    this.main = main;
    this.seat = "";
    /** @type {any} */
    this.question = null;
    /** @type {any[]} */
    this.log = [];
    /** @type {any[]} */
    this.chat = [];
    /** @type {any} */
    this.last = {};
    /** @type {number|null} replay: which point is shown; null is the live game */
    this.past = null;
    this.sending = false;
    /** whether other seats of the same person are being looked at */
    this.looking = false;
    this.begun = false;
    this.behind = false;
    this.problem = "";
    this.until = 0;
    /** @type {string|null} */
    this.selected = null;
    this.tab = "log";
    /** @type {Stream|null} */
    this.stream = null;
    this.pointing = new Pointing(this);
    this.overlays = new Overlays(this);
    this.agreeing = new Agreeing(this);
    this.asking = new Asking(this);
    this.editing = new Editing(this);
    this.replay = new Replay(this);
    this.people = new People(this);
    /** @type {number} lines of the log that are in the page; -1 none of them holds */
    this.listed = -1;
    /** whether the newest line of the log is to stay in sight */
    this.atEnd = true;
    this.onkey = (/** @type {KeyboardEvent} */ event) => this.key(event);
  }

  async start() {
    this.about = await get(`/api/g/${this.game}`);
    const [layout, drawing, symbols] = await Promise.all([
      get(this.about.layout || this.about.board.replace(/board\.svg/, "layout.json")), svg(this.about.board), svg(this.about.counters),
    ]);
    this.view = new View(layout, this.about.texts);
    this.frame();
    el("heading").textContent = `${this.about.name || this.about.title_name || this.about.title}, ${words(this.about.scenario)}`;
    document.title = `${this.about.title_name || this.about.title} - Grognard`;
    this.board = new Board(el("board"), this.view, drawing, symbols, {
      clicked: (place, counter, point) => this.clicked(place, counter, point),
      carries: (counter) => this.carries(counter),
      lifted: (counter) => void (this.editing.on ? this.editing.choose(this.editing.ofCounter(counter)) : this.pointing.take(counter)),
      dropped: (counter, place, onto, point) => void (this.editing.on ? this.editing.dropped(counter, place) : this.pointing.dropped(counter, place, onto, point)),
      hovered: (place) => void this.pointing.hover(place),
    });
    this.board.minimap(this.about.board);
    this.people.heard();
    this.people.draw();
    const panel = el("panel");
    panel.addEventListener("scroll", () => (this.atEnd = panel.scrollHeight - panel.scrollTop - panel.clientHeight < 40));
    new ResizeObserver(() => this.tab === "log" && this.atEnd && (panel.scrollTop = panel.scrollHeight)).observe(panel);
    document.addEventListener("keydown", this.onkey);
    await this.sit(this.firstSeat());
  }

  stop() {
    this.stream?.close();
    this.people.stop();
    this.asking.drop();
    document.removeEventListener("keydown", this.onkey);
  }

  firstSeat() {
    return (this.about.me || [])[0] ?? "";
  }

  /** Looks at the game as a seat. @param {string} seat */
  async sit(seat) {
    this.stream?.close();
    this.seat = seat;
    this.past = null;
    this.agreeing.forget();
    this.stream = new Stream(this.game, seat, (message) => this.message(message), (snapshot) => this.snapshot(snapshot), (state) => connection(state));
    try {
      await this.stream.start();
    } catch (problem) {
      this.complain(problem);
      connection("offline");
    }
  }

  // ---- what comes

  /** @param {any} snapshot */
  snapshot(snapshot) {
    this.view?.replace(snapshot.view || snapshot.set || {});
    this.log = snapshot.log || [];
    this.listed = -1;
    this.agreeing.forget();
    this.take(snapshot);
    this.redraw();
    if (!this.begun) this.board?.start();
    this.begun = true;
  }

  /** @param {any} message @returns {boolean} */
  message(message) {
    if (message.chat) {
      const known = this.chat.at(-1)?.id ?? -1;
      this.chat.push(...message.chat.filter((/** @type {any} */ one) => one.id > known));
      this.drawChat();
    }
    if (message.table) {
      this.about = { ...this.about, ...message.table };
      if (message.table.clock) this.people.heard();
      this.people.draw();
      this.agreeing.draw();
    }
    if (message.rules) tellRules(message.rules, this.follow);
    if (message.error) this.complain(new Refused(400, message));
    if (typeof message.n !== "number") return true;
    if (this.past !== null) {
      // Who looks at the past is not disturbed; the whole is fetched on the way back.
      this.behind = true;
      return true;
    }
    this.view?.apply(message);
    if (message.hash && this.view && this.view.checksum() !== message.hash) return false;
    if (typeof message.keep === "number" && message.keep < this.log.length) {
      this.log.length = message.keep;
      this.listed = -1;
    }
    this.log.push(...(message.log || []));
    this.take(message);
    this.redraw();
    for (const line of message.log || []) announce(line.text);
    return true;
  }

  /** @param {any} message */
  take(message) {
    this.last = message;
    this.question = message.question || null;
    this.agreeing.note(message.n, message);
    this.sending = false;
    this.until = performance.now() + FREEZE;
    if (!this.question && this.past === null) {
      const other = (message.waiting || []).find((/** @type {string} */ seat) => (this.about.me || []).includes(seat));
      if (other && other !== this.seat) queueMicrotask(() => this.sit(other));
      else if (message.status === "playing") this.handOver();
    }
  }

  /** Where one person holds several seats: the one that is asked, which the others may not be told of. */
  async handOver() {
    const others = (this.about.me || []).filter((/** @type {string} */ seat) => seat !== this.seat);
    if (!others.length || this.looking) return;
    this.looking = true;
    try {
      for (let wait = 50; !this.question && this.past === null && !this.stream?.closed; wait = Math.min(3000, wait * 2)) {
        for (const seat of others) {
          const found = await get(`/api/g/${this.game}/snapshot?seat=${encodeURIComponent(seat)}`);
          if (found.question && !this.question) return void this.sit(seat);
          if (found.status === "over") return;
        }
        await new Promise((done) => setTimeout(done, wait));
      }
    } catch (problem) {
      this.complain(problem);
    } finally {
      this.looking = false;
    }
  }

  // ---- drawing

  frame() {
    const tabs = h("div", { class: "tabs", role: "tablist" }, ...TABS.map((name) => h("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", "aria-selected": String(name === this.tab), onclick: () => this.show(name),
    }, { log: "Log", state: "State", words: "Map in words", chat: "Chat" }[name] || name)));
    this.main.className = "table";
    this.main.replaceChildren(
      h("section", { class: "board", "aria-label": "board" },
        h("div", { class: "tools", role: "toolbar", "aria-label": "map" },
          this.tool("+", "zoom in", () => this.board?.zoom(1.3)), this.tool("−", "zoom out", () => this.board?.zoom(1 / 1.3)), this.tool("Fit", "show all", () => this.board?.fit()),
          this.tool("Peek", "hide or show the counters", (button) => {
            const hidden = el("board").classList.toggle("peek");
            button.setAttribute("aria-pressed", String(hidden));
          }), this.overlays.tool()),
        h("div", { id: "board", class: "pane" }),
        h("form", { id: "replay", class: "replay", onsubmit: (/** @type {Event} */ event) => event.preventDefault() })),
      h("aside", { class: "side" },
        h("section", { id: "rules", class: "deals", "aria-label": "rules" }), h("section", { id: "editing", class: "deals", "aria-label": "change the position" }),
        h("section", { id: "deals", class: "deals", "aria-label": "proposal" }), h("section", { id: "late", class: "deals", "aria-label": "time" }),
        h("section", { id: "question", class: "question", "aria-label": "question", tabindex: -1 }),
        h("section", { id: "inspect", class: "inspect", "aria-label": "what was clicked", "aria-live": "polite" }),
        tabs, h("section", { id: "panel", class: "panel", role: "tabpanel", tabindex: 0, "aria-labelledby": "tab-log" }),
        h("section", { id: "people", class: "people", "aria-label": "seats" })));
  }

  /** @param {string} text @param {string} title @param {(button: HTMLElement) => void} act */
  tool(text, title, act) {
    const button = h("button", { type: "button", title, "aria-label": /\w/.test(text) ? `${text}: ${title}` : title, onclick: () => act(button) }, text);
    return button;
  }

  redraw() {
    if (!this.board || !this.view) return;
    this.pointing.renew();
    this.board.trail(null);
    this.lights();
    this.board.draw();
    this.drawQuestion();
    this.agreeing.draw();
    this.drawInspect();
    this.drawPanel();
    this.replay.draw();
    void this.overlays.renew();
  }

  lights() {
    const places = new Set(), pieces = new Set();
    for (const choice of this.pointing.pick?.ends || this.question?.choices || []) {
      if (choice.piece) pieces.add(`${choice.domain}/${choice.piece}`);
      else if (choice.place) places.add(choice.place);
    }
    this.board?.light(places, pieces);
  }

  drawQuestion() {
    const box = el("question");
    const focused = box.contains(document.activeElement);
    const parts = [];
    if (this.past !== null) parts.push(h("p", { class: "notice" }, `The game as it was at ${this.past}. Nothing can be done here.`));
    if (this.problem) parts.push(h("p", { class: "problem", role: "alert" }, this.problem));
    if (this.last.dice?.length) parts.push(dice(this.last.dice));
    if (this.last.status === "over") parts.push(h("h2", {}, outcome(this.last.outcome, /** @type {View} */ (this.view))));
    else if (this.question && this.view) parts.push(...questionPanel(this.question, this.view, (choice) => this.answer([choice.name]), (choice) => this.hover(choice)));
    else parts.push(h("h2", {}, waiting(this.last.waiting, /** @type {View} */ (this.view))));
    parts.push(h("div", { class: "acts" },
      this.act("Undo", "take back", () => this.undo(), !this.seat || this.last.status === undefined || this.past !== null || !this.stream?.n || this.about.undo_policy === "none"),
      this.act("Odds", "what can come of it", () => void this.asking.ask("odds"), !this.question),
      this.question?.kind === "action" ? this.act("Why not?", "what is not offered now, and why", () => void this.asking.whyNot("*"), false) : "",
      this.act("Advice", "what a bot would do", () => void this.asking.ask("advice"), !this.question),
      this.act("Resign", "give the game up", () => this.end("resign"), this.last.status === "over" || !this.seat),
      this.act("Draw", "offer a draw, or agree to one", () => this.end("draw"), this.last.status === "over" || !this.seat),
      this.act("Edit", "change the position by hand, if all agree", () => this.editing.start(), this.last.status === "over" || !this.seat || this.past !== null)),
      this.asking.box());
    box.replaceChildren(...parts);
    if (focused) /** @type {HTMLElement|null} */ (box.querySelector(".choices button") || box)?.focus();
    if (this.question) announce(`${this.question.seat}: ${this.question.label}, ${this.question.choices.length} choices`);
  }

  /** @param {string} text @param {string} title @param {() => void} act @param {boolean} off */
  act(text, title, act, off) {
    return h("button", { type: "button", title, onclick: act, disabled: off }, text);
  }

  drawInspect() {
    const box = el("inspect");
    if (this.pointing.pick) return void box.replaceChildren(...this.pointing.panel());
    if (!this.selected || !this.view || !this.board) return void box.replaceChildren();
    const stack = this.board.stacks.get(this.selected) || [];
    const lit = (/** @type {any} */ counter) => counter.names.some((/** @type {string} */ name) => this.board?.litPieces.has(`${counter.domain}/${name}`));
    box.replaceChildren(
      h("button", { type: "button", class: "close", "aria-label": "close", onclick: () => this.select(null) }, "×"),
      h("h3", {}, this.view.placeTitle(this.selected)),
      h("p", {}, this.view.describe(this.selected, [])),
      stack.length ? counterButtons(stack, this.view, (counter) => this.clicked(counter.place, counter, this.board?.screen(this.selected || "") || { x: 0, y: 0 }), lit) : h("p", {}, "no counters"),
      "");
  }

  /** @param {string} name */
  show(name) {
    this.tab = name;
    for (const one of TABS) el(`tab-${one}`).setAttribute("aria-selected", String(one === name));
    el("panel").setAttribute("aria-labelledby", `tab-${name}`);
    this.drawPanel();
  }

  drawPanel() {
    const panel = el("panel");
    if (!this.view || !this.board) return;
    if (this.tab === "log") {
      if (panel.dataset.tab !== "log") this.atEnd = true;
      let list = panel.querySelector("ol.log");
      if (!list || this.listed < 0 || this.listed > this.log.length) {
        list = h("ol", { class: "log", "aria-label": "log" });
        panel.replaceChildren(list);
        this.listed = Math.max(0, this.log.length - 400);
      }
      const fresh = this.log.slice(this.listed);
      this.listed = this.log.length;
      list.append(...logItems(fresh, this.view, (line, node) => void this.asking.why(line, node), (places) => this.board?.tell(places)));
      if (this.atEnd && fresh.length) panel.scrollTop = panel.scrollHeight;
    } else if (this.tab === "state") panel.replaceChildren(...statePanel(this.view, this.board.stacks, (counter) => this.inspect(counter)));
    else if (this.tab === "words") {
      const nodes = wordsPanel(this.view, this.board.stacks, (place) => this.go(place), this.board.litPlaces, this.overlays.told());
      panel.replaceChildren(...nodes.filter((node) => node !== null));
    } else this.drawChat();
    panel.dataset.tab = this.tab;
  }

  drawChat() {
    if (this.tab !== "chat") return;
    const panel = el("panel");
    const draft = /** @type {HTMLInputElement|null} */ (panel.querySelector("input[name=text]"))?.value || "";
    const form = h("form", { class: "say", onsubmit: (/** @type {SubmitEvent} */ event) => this.say(event) },
      h("input", { name: "text", maxlength: 500, "aria-label": "message", autocomplete: "off", value: draft }), h("button", {}, "Say"));
    panel.replaceChildren(h("ol", { class: "chat", "aria-live": "polite" }, ...this.chat.map((one) => h("li", {}, h("b", {}, `${one.name || one.seat || ""}: `), one.quote ? h("q", {}, one.quote.text || String(one.quote)) : null, one.text))), form);
  }

  // ---- what a person does

  /** @param {string|null} place @param {import("./view.js").Counter|null} counter @param {{x: number, y: number}} point */
  clicked(place, counter, point) {
    closeChooser();
    if (!this.board) return;
    if (this.editing.on) return this.editing.clicked(place, counter);
    const stack = (place !== null && this.board.stacks.get(place)) || [];
    const question = this.past === null ? this.question : null;
    if (this.pointing.pick) {
      const ends = this.pointing.meant(place, counter, stack);
      if (ends.length) return this.pointing.settle(ends, point);
      const again = counter?.names.includes(this.pointing.pick.of);
      this.pointing.drop(true);
      if (again) return this.select(null);
    }
    if (counter && stack.length > 1 && this.board.fanned !== place && !meant(question, null, counter, []).length) {
      this.board.fanned = place;
      this.board.draw();
      this.select(place);
      if (!this.carries(counter)) return;
    }
    const choices = meant(question, place, counter, stack);
    if (choices.length === 1) return void this.answer([choices[0].name]);
    if (choices.length > 1) {
      this.select(place);
      return this.chooser(choices, point);
    }
    if (this.board.fanned !== place) {
      this.board.fanned = stack.length > 1 ? place : null;
      this.board.draw();
    }
    if (counter) this.inspect(counter);
    else this.select(place);
    if (question && place !== null) void this.build(place, counter, stack, point);
  }

  /** Nothing that is asked was pointed at: what could be done with it all the same? @param {string} place @param {import("./view.js").Counter|null} counter @param {import("./view.js").Counter[]} stack @param {{x: number, y: number}} point */
  async build(place, counter, stack, point) {
    const mine = counter ? [counter] : stack.filter((one) => this.carries(one));
    if (mine.length === 1 && (await this.pointing.take(mine[0]))) return;
    if (mine.length > 1) return this.chooser(mine.map((one) => ({ label: `${one.label} ...`, name: one.name, act: () => this.pointing.take(one) })), point);
    if (!mine.length && !stack.length && (await this.pointing.atPlace(place, point))) return;
    await this.whyNotHere(place, counter ? [counter] : stack);
  }

  /** Why what was pointed at is not lit: of a counter where counters are asked for, of the place where places are. @param {string} place @param {import("./view.js").Counter[]} counters */
  async whyNotHere(place, counters) {
    const asked = this.question;
    if (!asked) return;
    const domains = new Set(asked.choices.filter((/** @type {any} */ choice) => choice.piece).map((/** @type {any} */ choice) => choice.domain));
    const names = counters.filter((one) => domains.has(one.domain)).map((one) => one.name).slice(0, 3);
    const places = asked.choices.filter((/** @type {any} */ choice) => choice.place && !choice.piece);
    if (places.length && this.view?.places.get(place)?.space === this.view?.places.get(places[0].place)?.space) names.push(place);
    for (const name of names) if (this.question === asked) await this.asking.whyNot(name);
  }

  /** Whether a counter can be taken up: it is one's own, or it is asked for. @param {import("./view.js").Counter} counter */
  carries(counter) {
    if (this.editing.on) return true;
    if (!this.question || this.past !== null) return false;
    if (counter.names.some((name) => this.board?.litPieces.has(`${counter.domain}/${name}`))) return true;
    const mine = [this.seat, (this.about.seats || []).find((/** @type {any} */ one) => one.seat === this.seat)?.side];
    return counter.side === null || mine.includes(counter.side);
  }

  /** A counter was laid where it cannot be. @param {import("./view.js").Counter} counter @param {string|null} place */
  refuse(counter, place) {
    announce(`${counter.label} cannot do anything ${place && this.view ? `at ${this.view.placeTitle(place)}` : "there"}`);
    if (place) this.select(place);
  }

  /** @param {any[]} choices @param {{x: number, y: number}} point @param {string} [heading] */
  chooser(choices, point, heading = "") {
    const pane = el("board");
    const box = h("div", { id: "chooser", class: "chooser", role: "dialog", "aria-label": heading || "which?" },
      heading ? h("p", { class: "what" }, heading) : "",
      h("ul", { class: "choices" }, ...choices.map((choice) => h("li", {}, h("button", { type: "button", onclick: () => { closeChooser(); if (choice.act) choice.act(); else this.answer(choice.answers || [choice.name]); } }, choice.label)))),
      h("button", { type: "button", class: "plain", onclick: closeChooser }, "none of these"));
    pane.append(box);
    box.style.left = `${Math.max(4, Math.min(point.x, pane.clientWidth - box.offsetWidth - 4))}px`;
    box.style.top = `${Math.max(4, Math.min(point.y, pane.clientHeight - box.offsetHeight - 4))}px`;
    box.querySelector("button")?.focus();
  }

  /** @param {string|null} place */
  select(place) {
    this.selected = place;
    if (place === null && this.board) {
      this.board.fanned = null;
      this.board.draw();
    }
    this.board?.tell(place ? [place] : []);
    this.drawInspect();
    if (place) void this.overlays.pointed(place, null);
  }

  /** @param {import("./view.js").Counter} counter */
  inspect(counter) {
    this.selected = counter.place;
    this.drawInspect();
    if (this.view) el("inspect").append(counterDetails(counter, this.view));
    if (counter.place) void this.overlays.pointed(counter.place, counter);
  }

  /** @param {string} place */
  go(place) {
    if (!this.board || !this.view) return;
    this.board.cursor = place;
    this.board.show(place);
    this.select(place);
    el("inspect").append(placeWords(place, this.view, this.board.stacks, (other) => this.go(other)));
  }

  /** Says what is near the place that the keys are at. */
  near() {
    const at = this.board?.cursor || this.selected;
    if (!at || !this.view || !this.board) return announce("Go to a place first: m, then arrows");
    announce(nearby(at, this.view, this.board.stacks).slice(0, 5).map((one) => one.text).join("; ") || "nothing is near");
  }

  /** @param {any} choice */
  hover(choice) {
    this.board?.tell(choice?.place ? [choice.place] : []);
  }

  /** @param {string[]} names */
  async answer(names) {
    if (!this.question || this.sending || this.past !== null || performance.now() < (this.until || 0)) return;
    this.sending = true;
    this.problem = "";
    this.main.classList.add("sending");
    try {
      const asked = this.question.id;
      const reply = await send(`/api/g/${this.game}/answer`, { seat: this.seat, question: asked, answers: names, n: this.stream?.n });
      this.select(null);
      if (this.question?.id === asked && reply.n <= (this.stream?.n ?? 0)) {
        // Taken, and nothing that this seat may know has changed: others decide in secret now.
        this.question = null;
        this.sending = false;
        this.last = { ...this.last, question: null, waiting: [] };
        this.redraw();
        this.handOver();
      }
    } catch (problem) {
      this.sending = false;
      this.complain(problem);
      if (problem instanceof Refused && problem.code === "stale") await this.stream?.start();
    } finally {
      this.main.classList.remove("sending");
    }
  }

  async undo() {
    if (!this.seat || this.past !== null) return;
    if ((this.last.undo ?? null) === null && this.about.undo_policy !== "none")
      return this.agreeing.offer("This cannot be taken back alone: dice have fallen, something came to light or somebody else has decided since.");
    try {
      this.problem = "";
      await send(`/api/g/${this.game}/undo`, { seat: this.seat });
    } catch (problem) {
      if (this.agreeing.answers(problem)) this.agreeing.offer(/** @type {Error} */ (problem).message);
      else this.complain(problem);
    }
  }

  /** @param {"resign"|"draw"} how */
  async end(how) {
    if (!confirm(how === "resign" ? "Give this game up?" : "Offer a draw?")) return;
    try {
      await send(`/api/g/${this.game}/${how}`, { seat: this.seat });
    } catch (problem) {
      this.complain(problem);
    }
  }

  /** @param {SubmitEvent} event */
  async say(event) {
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (/** @type {HTMLFormElement} */ (event.target).elements.namedItem("text"));
    const text = input.value.trim();
    if (!text) return;
    try {
      await send(`/api/g/${this.game}/chat`, { text, seat: this.seat || undefined });
      input.value = "";
    } catch (problem) {
      this.complain(problem);
    }
  }

  /** @param {unknown} problem */
  complain(problem) {
    const hint = problem instanceof Refused && problem.hint ? `; ${problem.hint}` : "";
    this.problem = (problem instanceof Error ? problem.message : String(problem)) + hint;
    if (document.getElementById("question")) this.drawQuestion();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select")) return;
    if (event.key === "Escape") {
      const open = document.getElementById("chooser");
      closeChooser();
      if (open) this.board?.svg.focus();
      else if (this.editing.on) this.editing.choose(null);
      else if (!this.pointing.drop()) this.select(null);
    } else if (/^[1-9]$/.test(event.key) && this.question && !this.editing.on) {
      const choice = this.question.choices[Number(event.key) - 1];
      if (choice) this.answer([choice.name]);
    } else if (event.key === "u" || event.key === "Backspace") this.undo();
    else if (event.key === "q") el("question").focus();
    else if (event.key === "m") this.board?.svg.focus();
    else if (event.key === "n") this.near();
    else return;
    event.preventDefault();
  }
}

