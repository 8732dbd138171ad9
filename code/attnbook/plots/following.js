attnbookStart("following", ({ root, one, make, data, say, check, button }) => {
  const steps = ["project", "score", "mask", "normalise", "mix"];
  let at = 0, row = data.words.length > 3 ? 3 : 0, causal = 0;
  const head = one("thead tr"), body = one("tbody");
  const list = numbers => `(${numbers.join(", ")})`;
  function told(numbers) {
    const word = data.words[row], third = numbers.length / 3;
    const pairs = numbers.map((n, i) => `${data.words[i]} ${n}`).join(", ");
    const hidden = causal ? data.words.length - 1 - row : 0;
    return {
      project: () => `${word}: query ${list(numbers.slice(0, third))}, key ${list(numbers.slice(third, 2 * third))}, value ${list(numbers.slice(2 * third))}. One vector, three matrices.`,
      score: () => `The query of ${word} times each key, divided by the root of d_k: ${pairs}.`,
      mask: () => hidden ? `${word} may not read ${hidden} later words: their scores become minus infinity.` : `${word} may read all words: nothing is hidden.`,
      normalise: () => `The softmax of the row of ${word}, shares of 1: ${pairs}.`,
      mix: () => `${word} gets all values, each by its share: ${list(numbers)}.`
    }[steps[at]]();
  }
  function show() {
    const step = steps[at], [texts, strong] = data.both[causal][step];
    root.dataset.step = step;
    head.replaceChildren(make("th", {}), ...data.names[step].map(n => make("th", { scope: "col" }, n)));
    [...body.rows].forEach((tr, r) => {
      const third = texts[r].length / 3;
      tr.replaceChildren(tr.cells[0], ...texts[r].map((n, c) => {
        const td = make("td", { className: step === "project" && c && c % third === 0 ? "block" : "" }, n);
        td.style.setProperty("--strong", strong[r][c] + "%");
        return td;
      }));
      tr.className = r === row ? "lit" : "";
      tr.querySelector("button").setAttribute("aria-pressed", r === row);
    });
    buttons.forEach((b, n) => b.setAttribute("aria-pressed", n === at));
    say(told(texts[row]));
  }
  const buttons = steps.map((name, n) => button(name, () => { at = n; show(); }));
  check("hide later words", false, on => { causal = +on; at = Math.max(at, 2); show(); });
  [...body.rows].forEach((tr, r) => {
    const b = make("button", { type: "button" }, data.words[r]);
    b.addEventListener("click", () => { row = r; show(); });
    tr.cells[0].replaceChildren(b);
  });
  root.addEventListener("keydown", e => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key], up = { ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (!by && !up || e.target.tagName !== "BUTTON") return;
    e.preventDefault();
    e.stopPropagation();
    const inside = (n, size) => Math.min(Math.max(n, 0), size - 1);
    if (by) at = inside(at + by, steps.length);
    if (up) row = inside(row + up, data.words.length);
    show();
    if (by && buttons.includes(e.target)) buttons[at].focus();
    if (up && body.contains(e.target)) body.rows[row].querySelector("button").focus();
  });
  show();
});
