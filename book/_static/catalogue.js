/* The catalogue of exercises: filter, add up, and write the command. */
document.querySelectorAll(".atn-catalogue[hidden]").forEach(form => {
  const table = form.parentElement.querySelector("table");
  const status = form.querySelector("[role=status]");
  const line = form.querySelector(".atn-command");
  const command = line.querySelector("code"), copy = line.querySelector("button");
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  const rows = [...table.tBodies[0].rows].map(row => {
    const text = [...row.cells].map(cell => cell.textContent.trim());
    const [id, , kind, difficulty, minutes, points, marked] = text;
    const title = row.cells[1].querySelector("a").textContent;
    const objective = text[1].slice(title.length).trim();
    const tick = document.createElement("input");
    const label = document.createElement("label");
    tick.type = "checkbox";
    tick.setAttribute("aria-label", `${id} ${title}`);
    label.append(tick, " " + id);
    row.cells[0].replaceChildren(label);
    return {
      row, tick, id, kind, difficulty, marked,
      minutes: +minutes, points: +points,
      chapter: id.split(".")[0], verb: objective.split(" ")[0],
      words: text.join(" ").toLowerCase(),
    };
  });

  function fits(r, want, kinds, words) {
    return (!kinds.length || kinds.includes(r.kind))
      && ["chapter", "difficulty", "marked", "verb"].every(k => !want.get(k) || want.get(k) === r[k])
      && (!want.get("minutes") || r.minutes <= want.get("minutes"))
      && words.every(word => r.words.includes(word));
  }
  const sum = some => `${plural(some.length, "exercise")}, ` + ["minute", "point"]
    .map(k => plural(some.reduce((n, r) => n + r[k + "s"], 0), k)).join(", ");

  function show() {
    const want = new FormData(form);
    const words = want.get("words").toLowerCase().split(/\s+/).filter(Boolean);
    const shown = rows.filter(r => {
      const fit = fits(r, want, want.getAll("kind"), words);
      r.row.hidden = !fit;
      return fit;
    });
    const ticked = rows.filter(r => r.tick.checked);
    const chosen = ticked.length ? ticked : shown;
    const none = chosen.length === rows.length || !chosen.length;
    let said = `Shown: ${sum(shown)}.`;
    if (ticked.length) said += ` Ticked: ${sum(ticked)}.`;
    else if (none) said += " Filter or tick some, and the command that assigns them appears.";
    status.textContent = said;
    line.hidden = none;
    command.textContent = `attnbook assign --exercises ${chosen.map(r => r.id).join(" ")} --out homework`;
  }

  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(command.textContent);
    status.textContent = "The command is copied.";
  });
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => {
    rows.forEach(r => { r.tick.checked = false; });
    setTimeout(show);
  });
  table.addEventListener("change", show);
  form.hidden = false;
  show();
});
