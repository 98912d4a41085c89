// A dictionary has the words of all pages; each page loads those that it shows (bundle.mjs).
declare module "*.json?shared" {
  const words: Partial<import("./dictionary").Dictionary>;
  export default words;
}
declare module "*.json?console" {
  const words: Partial<import("./dictionary").Dictionary>;
  export default words;
}
declare module "*.json?docs" {
  const words: Partial<import("./dictionary").Dictionary>;
  export default words;
}

declare module "*.json?late" {
  const words: Partial<import("./dictionary").Dictionary>;
  export default words;
}
