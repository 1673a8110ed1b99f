// The buttons above the table of claims: rows and cards of one verdict alone, and chapters that still show one.
(() => {
  const buttons = [...document.querySelectorAll("[data-only]")];
  const claims = [...document.querySelectorAll("[data-verdict]")];
  const rows = claims.filter((claim) => claim.localName === "tr");

  function show(only) {
    for (const claim of claims) claim.hidden = only !== "" && claim.dataset.verdict !== only;
    for (const answer of document.querySelectorAll("article.answer")) answer.hidden = only !== "";
    for (const chapter of document.querySelectorAll(".chapter")) chapter.hidden = !chapter.querySelector("article:not([hidden])");
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.only === only));
    const shown = rows.filter((row) => !row.hidden).length;
    document.getElementById("shown").textContent = only ? `${shown} of ${rows.length} claims: ${only}` : "";
  }

  for (const button of buttons) {
    const { only } = button.dataset;
    button.addEventListener("click", () => show(button.getAttribute("aria-pressed") === "true" ? "" : only));
  }
})();
