"use strict";
/* Light or dark, and the navigation: on every page. */

function themeSwitch(button) {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const show = () => {
    button.setAttribute("aria-pressed", String(isDark()));
    document.dispatchEvent(new Event("theme"));
  };
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; show(); });
  dark.addEventListener("change", show);
  show();
}

function followSections(links) {
  const byId = new Map([...links].map((link) => [link.getAttribute("href").slice(1), link]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links) link.removeAttribute("aria-current");
      const link = byId.get(entry.target.id);
      link.setAttribute("aria-current", "true");
      link.parentElement.scrollTo({ left: link.offsetLeft - link.parentElement.offsetLeft - 40 });
    }
  }, { rootMargin: "-15% 0px -75% 0px" });
  for (const id of byId.keys()) watcher.observe(document.getElementById(id));
}

themeSwitch(document.getElementById("theme"));
followSections(document.querySelectorAll("nav.sections a"));
