// What is done before anything of a page is shown: it appears in the theme that the person chose on this device, as
// kit/state/theme.ts keeps it. A page waits for this file, so it is as small as can be.
const theme = localStorage.getItem("signet-theme");
if (theme) document.documentElement.dataset["theme"] = theme;

export {};
