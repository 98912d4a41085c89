// The parts of the messenger whose script comes behind the page's own (behind.ts).
import { later } from "../kit/later";

const load = () => import("./behind");

/** prepare has the script come when the page is there, before anybody needs it. */
export function prepare(): void {
  const get = () => void load().then(({ followPush }) => followPush(), () => undefined); // asked for again when it is needed
  if (document.readyState === "complete") get();
  else addEventListener("load", get);
}

export const Confirm = later(async () => (await load()).Confirm);
export const Details = later(async () => (await load()).Details);
export const EscalateBy = later(async () => (await load()).EscalateBy);
export const Forward = later(async () => (await load()).Forward);
export const Help = later(async () => (await load()).Help);
export const MessageInfo = later(async () => (await load()).MessageInfo);
export const NewGroup = later(async () => (await load()).NewGroup);
export const Offer = later(async () => (await load()).Offer);
export const OnDuty = later(async () => (await load()).OnDuty);
export const PictureView = later(async () => (await load()).PictureView);
export const Results = later(async () => (await load()).Results);
export const Settings = later(async () => (await load()).Settings);
export const Vacancies = later(async () => (await load()).Vacancies);
export const Welcome = later(async () => (await load()).Welcome);

/** Few lack a second factor. */
export const SecondFactor = later(async () => (await import("../kit/SecondFactor")).SecondFactor);

/** Most who come are signed in. */
export const SignIn = later(async () => (await import("../kit/SignIn")).SignIn);
