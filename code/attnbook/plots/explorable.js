window.attnbookStart = (kind, run) => {
  const make = (tag, props, ...inside) => {
    const made = Object.assign(document.createElement(tag), props);
    made.append(...inside);
    return made;
  };
  document.querySelectorAll(`.attnbook-x[data-kind="${kind}"]:not([data-ready])`).forEach(root => {
    root.dataset.ready = "yes";
    const one = name => root.querySelector(name);
    const controls = one(".x-controls"), status = one(".x-say");
    const add = (name, input, event, on) => {
      input.addEventListener(event, on);
      const label = make("label", {}, name + " ", input);
      controls.append(label);
      return label;
    };
    run({
      root, one, make, data: JSON.parse(root.dataset.x),
      all: name => [...root.querySelectorAll(name)],
      say: text => { status.textContent = text; },
      select(name, options, value, on) {
        const input = make("select", {});
        options.forEach((text, n) => input.add(new Option(text, n)));
        input.value = value;
        add(name, input, "change", () => on(+input.value));
      },
      check(name, value, on) {
        const input = make("input", { type: "checkbox", checked: value });
        add(name, input, "change", () => on(input.checked));
      },
      slider(name, stops, value, on) {
        const input = make("input", { type: "range", min: 0, max: stops.length - 1, step: 1, value });
        const shown = make("output", {});
        const show = () => { shown.textContent = stops[input.value]; input.setAttribute("aria-valuetext", stops[input.value]); };
        add(name, input, "input", () => { show(); on(+input.value); }).append(shown);
        show();
      },
      button(name, on) {
        const made = make("button", { type: "button" }, name);
        made.addEventListener("click", on);
        controls.append(made);
        return made;
      }
    });
  });
};
