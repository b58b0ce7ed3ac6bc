// @ts-check
/** One game at the table: what the page knows of it, what comes, what a person does. */

import { Agreeing } from "./agreeing.js";
import { Refused, Stream, get, send } from "./api.js";
import { Asking } from "./asking.js";
import { Board } from "./board.js";
import { announce, el, h, words } from "./dom.js";
import { countOne } from "./counting.js";
import { Editing } from "./editing.js";
import { TABS, drawChat, drawInspect, drawPanel, drawQuestion, frame } from "./frame.js";
import { Overlays } from "./overlays.js";
import { counterDetails } from "./panels.js";
import { People } from "./people.js";
import { Pointing } from "./pointing.js";
import { aim, meant } from "./question.js";
import { Replay } from "./replay.js";
import { tellRules } from "./rulesnews.js";
import { closeChooser, connection, svg } from "./telling.js";
import { drawTrays } from "./trays.js";
import { View } from "./view.js";
import { nearby, placeWords } from "./words.js";

/** A late event must never move a button under a click. */
const FREEZE = 250;

export class Table {
  /** @param {string} game @param {HTMLElement} main @param {(game: string) => void} follow goes on with another game */
  constructor(game, main, follow) {
    this.game = game;
    this.follow = follow;
    this.main = main;
    this.seat = "";
    /** @type {any} */
    this.question = null;
    this.log = /** @type {any[]} */ ([]);
    this.chat = /** @type {any[]} */ ([]);
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
    /** until when a click may have been meant for what stood there before */
    this.until = 0;
    /** @type {{id: number, text: string}|null} a line of the log that the next message is about */
    this.quoting = null;
    this.asked = "";
    /** @type {string|null} */
    this.selected = null;
    this.tab = "log";
    /** @type {Set<string>} places that were spoken of since this person answered last */
    this.recent = new Set();
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
    connection("drawing the map");
    const [layout, drawing, symbols] = await Promise.all([
      get(this.about.layout || this.about.board.replace(/board\.svg/, "layout.json")), svg(this.about.board), svg(this.about.counters),
    ]);
    this.view = new View(layout, this.about.texts);
    frame(this);
    const name = this.about.name || this.about.title_name || this.about.title, scenario = this.about.scenario_name || words(this.about.scenario);
    el("heading").textContent = name.endsWith(scenario) ? name : `${name}, ${scenario}`;
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
    let high = panel.clientHeight;
    // A panel that has just become lower was not scrolled by anybody.
    panel.addEventListener("scroll", () => panel.clientHeight === high && (this.atEnd = panel.scrollHeight - panel.scrollTop - high < 40));
    new ResizeObserver(() => {
      high = panel.clientHeight;
      if (this.tab === "log" && this.atEnd) panel.scrollTop = panel.scrollHeight;
    }).observe(panel);
    document.addEventListener("keydown", this.onkey);
    await this.sit(this.firstSeat());
    await this.replay.wanted();
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
    this.recent.clear();
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
      drawChat(this);
    }
    if (message.table) {
      this.about = { ...this.about, ...message.table };
      if (message.table.clock) this.people.heard();
      this.people.draw();
      this.agreeing.draw();
      if (message.table.offers) this.drawQuestion();
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
    for (const line of message.log || []) {
      announce(line.text);
      for (const place of line.places || []) this.recent.add(place);
    }
    this.take(message);
    this.redraw();
    return true;
  }

  /** @param {any} message */
  take(message) {
    this.last = message;
    this.question = message.question || null;
    if (this.question && this.view) aim(this.question, this.view);
    this.agreeing.note(message.n, message);
    // Who has just answered waits for the next question; what others do comes unexpected.
    if (!this.sending) this.until = performance.now() + FREEZE;
    this.sending = false;
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
    drawTrays(this);
    this.replay.draw();
    void this.overlays.renew();
  }

  lights() {
    const places = new Set(), pieces = new Set();
    for (const choice of this.pointing.pick?.ends || this.question?.choices || []) {
      if (choice.piece) pieces.add(`${choice.domain}/${choice.piece}`);
      else if (choice.place || choice.toward) places.add(choice.place || choice.toward);
    }
    this.board?.light(places, pieces);
    this.board?.remind(this.past === null ? this.recent : []);
  }

  drawQuestion() {
    const { about } = this;
    // Who has the page in another tab sees there that it is their turn.
    document.title = `${this.question && this.past === null ? "● " : ""}${about.title_name || about.title} - Grognard`;
    drawQuestion(this);
  }

  drawInspect() {
    drawInspect(this);
  }

  drawPanel() {
    drawPanel(this);
  }

  /** @param {string} name */
  show(name) {
    this.tab = name;
    for (const one of TABS) el(`tab-${one}`).setAttribute("aria-selected", String(one === name));
    el("panel").setAttribute("aria-labelledby", `tab-${name}`);
    this.drawPanel();
  }

  /** What is asked, for who does not see it. */
  sayQuestion() {
    const { question, view } = this;
    if (question) announce(`${view?.label(null, question.seat)}: ${question.label}, ${question.choices.length} choices`);
    else announce(document.querySelector("#question h2")?.textContent || "");
  }

  // ---- what a person does

  /** @param {string|null} place @param {import("./view.js").Counter|null} counter @param {{x: number, y: number}} point */
  clicked(place, counter, point) {
    closeChooser();
    if (!this.board) return;
    if (this.editing.on) return this.editing.clicked(place, counter);
    const stack = (place !== null && this.board.stacks.get(place)) || [];
    const question = this.past === null ? this.question : null;
    if (question?.numbers && counter && countOne(question.numbers, counter.names)) return;
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
    if (mine.length === 1 && (await this.pointing.take(mine[0]))) return this.pointing.offer(point);
    if (mine.length > 1) return this.chooser(mine.map((one) => ({ label: `${one.label} ...`, name: one.name, act: async () => (await this.pointing.take(one)) && this.pointing.offer(point) })), point);
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
    const place = choice?.place || choice?.toward;
    this.board?.tell(place ? [place] : []);
  }

  /** @param {string[]} names */
  async answer(names) {
    if (!this.question || this.sending || this.past !== null) return;
    if (performance.now() < this.until) {
      this.problem = "The question changed just under your click: look again.";
      return this.drawQuestion();
    }
    this.sending = true;
    this.recent.clear();
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

  /** @param {unknown} problem */
  complain(problem) {
    const hint = problem instanceof Refused && problem.hint ? `; ${problem.hint}` : "";
    this.problem = (problem instanceof Error ? problem.message : String(problem)) + hint;
    if (document.getElementById("question")) this.drawQuestion();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("dialog")) return;
    if (target.closest("input, textarea, select")) {
      // Out of what is written, back to the question.
      if (event.key === "Escape") el("question").focus();
      return;
    }
    if (event.key === "Escape") {
      const open = document.getElementById("chooser");
      closeChooser();
      if (open) this.board?.svg.focus();
      else if (this.editing.on) this.editing.choose(null);
      else if (!this.pointing.drop()) this.select(null);
    } else if (/^[1-9]$/.test(event.key) && this.question && !this.question.numbers && !this.editing.on) {
      const choice = this.question.choices[Number(event.key) - 1];
      if (choice) this.answer([choice.name]);
    } else if (event.key === "u" || event.key === "Backspace") this.undo();
    else if (event.key === "q") {
      el("question").focus();
      this.sayQuestion();
    }
    else if (event.key === "m") this.board?.svg.focus();
    else if (event.key === "n") this.near();
    else return;
    event.preventDefault();
  }
}

