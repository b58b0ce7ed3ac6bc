// @ts-check
/** Who somebody is here: an account, for the same games in several browsers.  Without one the browser's cookie holds the seats. */

import { Refused, get, post } from "./api.js";
import { announce, h } from "./dom.js";

/** Signs of a password, as the server wants it. */
const LEAST = 8, MOST = 200;

/** The account in the lobby; nothing where the server has none. @param {() => void} changed @returns {Promise<HTMLElement|null>} */
export async function accountSection(changed) {
  const me = await get("/api/me");
  if (!me.accounts) return null;
  if (!me.account) {
    const dialog = entrance(changed);
    return h("section", { class: "account", "aria-label": "account" }, "Your games are kept by this browser. ",
      h("button", { type: "button", "aria-haspopup": "dialog", onclick: () => dialog.showModal() }, "Log in or sign up"), dialog);
  }
  const problem = h("span", { class: "problem", role: "alert" });
  return h("section", { class: "account", "aria-label": "account" }, "Logged in as ", h("b", { class: "name" }, me.account), " ",
    h("button", { type: "button", onclick: async () => {
      try {
        await post("/api/logout", {});
        announce("You are logged out.");
        changed();
      } catch (trouble) {
        problem.textContent = worded(trouble);
      }
    } }, "Log out"), " ", problem);
}

/** @param {unknown} trouble */
function worded(trouble) {
  return trouble instanceof Refused ? trouble.message + (trouble.hint ? `; ${trouble.hint}` : "") : String(trouble);
}

/** @param {() => void} changed @returns {HTMLDialogElement} */
function entrance(changed) {
  const problem = h("p", { class: "problem", role: "alert" });
  const form = /** @type {HTMLFormElement} */ (h("form", { class: "new" },
    h("label", {}, "Name ", h("input", { name: "name", required: true, maxlength: 40, autocomplete: "username" })),
    h("label", {}, "Password ", h("input", { name: "password", type: "password", required: true, minlength: LEAST, maxlength: MOST, autocomplete: "current-password", "aria-describedby": "password-hint" })),
    h("p", { id: "password-hint" }, `At least ${LEAST} characters. The games of this browser come along.`),
    problem,
    h("div", { class: "deal" },
      h("button", { class: "main", value: "login" }, "Log in"), h("button", { value: "account" }, "Sign up"),
      h("button", { type: "button", onclick: () => dialog.close() }, "Close"))));
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "entrance", "aria-labelledby": "entrance-title" }, h("h2", { id: "entrance-title" }, "Log in or sign up"), form));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const way = /** @type {HTMLButtonElement|null} */ (event.submitter)?.value === "account" ? "account" : "login";
    const data = new FormData(form);
    const buttons = [...form.querySelectorAll("button")];
    problem.textContent = "";
    for (const button of buttons) button.disabled = true;
    try {
      await post(`/api/${way}`, { name: String(data.get("name")), password: String(data.get("password")) });
      dialog.close();
      announce("You are logged in.");
      changed();
    } catch (trouble) {
      problem.textContent = worded(trouble);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  });
  return dialog;
}
