// What web/guides.mjs makes of docs/api.
declare module "guides:contents" {
  const entries: readonly import("./tree").GuideEntry[];
  export default entries;
}
declare module "guides:sections" {
  const sections: readonly import("./tree").Section[];
  export default sections;
}
declare module "guides:notes" {
  const notes: import("./tree").Notes;
  export default notes;
}
