// Draws the figures of a page, one after the other, in the colours of its theme; no request leaves the page.
(() => {
  const root = document.documentElement;
  const THEMES = ["auto", "light", "dark"];
  const stored = (() => { try { return localStorage.getItem("windrow-theme"); } catch { return null; } })();
  let theme = THEMES.includes(stored) ? stored : "auto";
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const apply = () => {
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    const button = document.getElementById("theme");
    button.textContent = { auto: "◐", light: "☀", dark: "☾" }[theme];
    button.setAttribute("aria-label", `theme: ${theme}`);
  };
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const config = () => {
    const [text, soft, line] = ["--text", "--soft", "--line"].map(colour);
    return {
      background: "transparent",
      font: "system-ui, sans-serif",
      view: { stroke: line },
      axis: { domainColor: line, gridColor: line, gridOpacity: 0.6, labelColor: soft, tickColor: line, titleColor: soft,
              titleFontWeight: "normal", labelFontSize: 11, titleFontSize: 12, labelLimit: 190 },
      legend: { labelColor: text, titleColor: soft, titleFontWeight: "normal", orient: "bottom", labelLimit: 240,
                columns: innerWidth < 600 ? 1 : 4 },
      text: { fill: text, color: text },
      rule: { color: soft },
      range: { category: ["#4c8dd6", "#e08a2e", "#3f9e6b", "#d9534f", "#9a6fd0", "#2fa7a7", "#c069a0", "#9c8b3c",
                          "#7c8896"] },
    };
  };

  const draw = async (place) => {
    const spec = JSON.parse(document.getElementById(`spec-${place.dataset.figure}`).textContent);
    try {
      const embedded = await vegaEmbed(place, spec, {
        mode: "vega-lite", renderer: "svg", config: config(),
        actions: { export: true, source: false, compiled: false, editor: false },
      });
      place.dataset.marks = place.querySelectorAll("svg path, svg text, svg rect, svg circle").length;
      place.dataset.state = "drawn";
      place.view = embedded.view;
    } catch (error) {
      place.dataset.state = "failed";
      place.textContent = `This figure could not be drawn: ${error.message}`;
      console.error(place.dataset.figure, error);
    }
  };
  const drawAll = async () => {
    for (const place of document.querySelectorAll(".chart")) {
      await draw(place);
      await new Promise((next) => setTimeout(next));
    }
    root.dataset.report = "drawn";
  };

  document.getElementById("theme").addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    try { localStorage.setItem("windrow-theme", theme); } catch { /* a browser that keeps nothing */ }
    apply();
    drawAll();
  });
  dark.addEventListener("change", () => { if (theme === "auto") drawAll(); });
  // A link into a table that is folded opens it.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const folded = target?.closest("details");
    if (folded) { folded.open = true; target.scrollIntoView(); }
  };
  addEventListener("hashchange", unfold);

  const menu = document.getElementById("menu");
  const pages = document.getElementById("pages");
  const showMenu = (open) => { pages.classList.toggle("open", open); menu.setAttribute("aria-expanded", open); };
  menu.addEventListener("click", () => showMenu(!pages.classList.contains("open")));

  // search.js has [name, address, meaning] of every page, table and column.
  const asked = document.querySelector("#search input");
  const found = document.getElementById("found");
  const item = ([name, address, meaning]) => {
    const [line, link, small] = ["li", "a", "small"].map((each) => document.createElement(each));
    link.textContent = name;
    link.href = address;
    small.textContent = meaning;
    link.append(small);
    line.append(link);
    return line;
  };
  const search = () => {
    const words = asked.value.toLowerCase().split(/[\s.]+/).filter(Boolean);
    const holds = (text) => words.every((word) => text.toLowerCase().includes(word));
    const named = WINDROW_SEARCH.filter(([name]) => holds(name));
    const meant = WINDROW_SEARCH.filter(([name, , meaning]) => !holds(name) && holds(`${name} ${meaning}`));
    const lines = [...named, ...meant].slice(0, 12).map(item);
    if (!lines.length) lines.push(Object.assign(document.createElement("li"), { textContent: "Nothing has that name." }));
    found.replaceChildren(...lines);
    found.hidden = !words.length;
  };
  const closeSearch = () => { found.hidden = true; showMenu(false); };
  asked.addEventListener("input", search);
  asked.addEventListener("focus", search);
  asked.addEventListener("keydown", (key) => {
    if (key.key === "Escape") closeSearch();
    if (key.key === "Enter") found.querySelector("a")?.click();
  });
  found.addEventListener("click", closeSearch);
  document.addEventListener("click", (click) => { if (!click.target.closest(".bar")) closeSearch(); });

  apply();
  unfold();
  document.querySelector(".bar nav a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  drawAll();
})();
