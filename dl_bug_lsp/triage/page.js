"use strict";
// Sorted tables, and the groups: drawn as text, some hundred at a time, with what is known of each.
(() => {
  const STEP = 200;
  const sortRows = (rows, key, down) => {
    const turn = down ? -1 : 1;
    rows.sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === y) return 0;
      if (x === null || x === "") return 1;
      if (y === null || y === "") return -1;
      return (x < y ? -1 : 1) * turn;
    });
  };
  const headers = (table, sorted) => {
    const heads = [...table.querySelectorAll("thead th")];
    heads.forEach((head, index) => {
      const button = head.querySelector("button");
      if (!button) return;
      button.addEventListener("click", () => {
        const first = head.classList.contains("n") ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const order = head.getAttribute("aria-sort") === first ? other : first;
        heads.forEach((one) => one.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        sorted(index, order === "descending");
      });
    });
  };
  for (const table of document.querySelectorAll("table.sorted")) {
    headers(table, (index, down) => {
      const body = table.tBodies[0], rows = [...body.rows];
      sortRows(rows, (row) => {
        const cell = row.cells[index];
        return cell.classList.contains("n") ? Number(cell.dataset.value) : cell.textContent.toLowerCase();
      }, down);
      body.append(...rows);
    });
  }

  const table = document.getElementById("groups");
  const { columns, groups, names } = JSON.parse(document.getElementById("data").textContent);
  const body = table.tBodies[0], more = document.getElementById("more");
  const count = document.getElementById("count"), search = document.getElementById("search");
  let shown = groups.slice(), drawn = 0;
  const element = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const day = (seconds) => seconds === null ? "" : new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
  const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });
  // Without a manifest nothing is known of users and hours.
  const known = (value) => value ? number(value) : "";
  const rowOf = (group) => {
    const row = element("tr", undefined, "group");
    row.id = "g-" + group.id;
    row.tabIndex = 0;
    row.setAttribute("aria-expanded", "false");
    const what = element("td", undefined, "message");
    if (group.new) what.append(element("span", "new ", "new"));
    what.append(element("span", group.exception + (group.exception && group.message ? ": " : "") + group.message.split("\n")[0].slice(0, 200), "code"));
    row.append(element("td", number(group.jobs), "n"), what, element("td", names[group.category] || group.category),
      element("td", known(group.users.length), "n"), element("td", known(group.gpu_hours), "n"),
      element("td", day(group.first_seen)), element("td", day(group.last_seen)));
    return row;
  };
  const draw = () => {
    const part = document.createDocumentFragment();
    for (const group of shown.slice(drawn, drawn + STEP)) part.append(rowOf(group));
    drawn = Math.min(shown.length, drawn + STEP);
    body.append(part);
    more.hidden = drawn >= shown.length;
    more.textContent = `Show ${Math.min(STEP, shown.length - drawn)} more of ${number(shown.length - drawn)}`;
    count.textContent = shown.length === groups.length ? `${number(groups.length)} groups` : `${number(shown.length)} of ${number(groups.length)} groups`;
  };
  const redraw = () => { body.replaceChildren(); drawn = 0; draw(); };
  const list = (values, total) => values.slice(0, 20).join(", ") + (total > 20 ? `, and ${number(total - 20)} more` : "");
  const detail = (group) => {
    const row = element("tr", undefined, "detail"), cell = element("td"), facts = element("dl");
    cell.colSpan = 7;
    const add = (name, value) => { if (value) facts.append(element("dt", name), element("dd", value)); };
    add("message", group.message);
    add("your code", group.places.join("\n"));
    add("ranked places", group.suspects.join("\n"));
    add("representative", group.representative + (group.line ? `, line ${group.line}` : ""));
    add("jobs", `${number(group.jobs)} (${number(group.logs)} logs)`);
    add("origin", group.origin);
    add("retry", group.retried ? `${number(group.helped)} of ${number(group.retried)} retries helped, ${number(group.repeated)} met it again` : group.retry_may_help ? "may help" : group.retry_may_help === null ? "not known" : "unlikely to help");
    add("framework", group.framework);
    add("users", list(group.users, group.users.length));
    add("hosts", list(group.hosts, group.hosts.length));
    add("queues", list(group.queues, group.queues.length));
    add("other logs", group.examples.filter((log) => log !== group.representative).slice(0, 10).join("\n"));
    add("fingerprint", group.id);
    cell.append(facts);
    row.append(cell);
    return row;
  };
  const toggle = (row) => {
    const open = row.getAttribute("aria-expanded") === "true";
    row.setAttribute("aria-expanded", String(!open));
    if (open) row.nextElementSibling.remove();
    else row.after(detail(groups.find((group) => "g-" + group.id === row.id)));
  };
  const rowAt = (event) => event.target.closest("tr.group");
  body.addEventListener("click", (event) => {
    const row = rowAt(event);
    if (row && !String(getSelection())) toggle(row);
  });
  body.addEventListener("keydown", (event) => {
    const row = rowAt(event);
    if (row && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); toggle(row); }
  });
  more.addEventListener("click", draw);
  headers(table, (index, down) => {
    const key = columns[index];
    const value = (group) => key === "users" ? group.users.length : key === "message" ? (group.exception + group.message).toLowerCase() : group[key];
    sortRows(shown, value, down);
    redraw();
  });
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    shown = groups.filter((group) => {
      const text = [group.exception, group.message, group.category, names[group.category], group.id, group.representative, ...group.places, ...group.users, ...group.hosts].join("\n").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    redraw();
  };
  search.addEventListener("input", filter);
  const toHash = () => {
    const id = location.hash.slice(3);
    if (!location.hash.startsWith("#g-") || !groups.some((group) => group.id === id)) return;
    search.value = id;
    filter();
    const row = document.getElementById("g-" + id);
    if (row.getAttribute("aria-expanded") !== "true") toggle(row);
    row.scrollIntoView({ block: "center" });
  };
  draw();
  toHash();
  addEventListener("hashchange", toHash);
})();
