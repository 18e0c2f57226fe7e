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
  apply();
  document.querySelector(".bar nav a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  drawAll();
})();
