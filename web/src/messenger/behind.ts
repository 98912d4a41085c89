// What is not seen at first, in one file of script: it comes behind the page's own.
export { Confirm } from "../kit/Confirm";
export { Details } from "./Details";
export { EscalateBy } from "./EscalateBy";
export { Forward } from "./Forward";
export { Help } from "./Help";
export { MessageInfo } from "./MessageInfo";
export { NewGroup } from "./NewGroup";
export { Offer } from "./Offer";
export { OnDuty } from "./OnDuty";
export { PictureView } from "./PictureView";
export { followPush } from "./push";
export { Results } from "./Results";
export { Settings } from "./Settings";
export { Vacancies } from "./Vacancies";
export { Welcome } from "./Welcome";
