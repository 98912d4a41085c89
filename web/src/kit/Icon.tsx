// The icons, drawn on a grid of 24 with a line of 2. Each is only a sign: what it says to
// those who do not see it stands in the label of what it lies in.
const paths = {
  add: "M12 5v14M5 12h14",
  archive: "M4 8v11h16V8M3 4h18v4H3zM10 12h4",
  attach: "M20 11.5 12 19.5a5 5 0 0 1-7-7l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7L9.8 17a1.7 1.7 0 0 1-2.4-2.4L15 7",
  back: "M15 5l-7 7 7 7",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4",
  bellOff: "M6 16V11a6 6 0 0 1 9-5.2M18 11v5l1.5 2H8M10 21h4M4 4l16 16",
  building: "M5 21V4h9v17M14 9h5v12M3 21h18M8 8h3M8 12h3M8 16h3",
  chart: "M4 20h16M7 16v-5M12 16V6M17 16v-8",
  chat: "M4 5h16v11H9l-5 4z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  checks: "M2.5 12.5 7 17l8-9M11 15.5l1.5 1.5 9-10",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.5l3 2",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  device: "M4 5h16v11H4zM9 20h6M12 16v4",
  down: "M6 9l6 6 6-6",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  edit: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  eye: "M2.500 12c2.500-4.500 5.700-6.500 9.500-6.500s7 2 9.500 6.500c-2.500 4.500-5.700 6.500-9.500 6.500s-7-2-9.500-6.500zM12 9.300a2.700 2.700 0 1 0 0 5.400 2.700 2.700 0 0 0 0-5.400z",
  eyeOff: "M9.500 5.800a9 9 0 0 1 2.500-.3c3.800 0 7 2 9.500 6.500a14 14 0 0 1-2.600 3.400M6 7.600A13 13 0 0 0 2.500 12c2.500 4.500 5.700 6.500 9.500 6.500 1.700 0 3.200-.4 4.600-1.100M9.900 10.300a2.700 2.700 0 0 0 3.800 3.800M4 4l16 16",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  flame: "M12 3c1 4 5 6 5 11a5 5 0 0 1-10 0c0-2 1-3 2-4 0 2 1 3 2 3 1-3-1-6 1-10z",
  forward: "M14 6l6 6-6 6M20 12H9a5 5 0 0 0-5 5v1",
  help: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM9.8 9.5a2.3 2.3 0 1 1 3.2 2.2c-.7.3-1 .8-1 1.6M12 16.2v.1",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.2v.1",
  info: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 11v5M12 8v.1",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l8-8M16 7l3 3",
  leave: "M10 4H5v16h5M15 8l4 4-4 4M19 12H9",
  list: "M8 6h12M8 12h12M8 18h12M4 6v.1M4 12v.1M4 18v.1",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M12 6v.1M12 12v.1M12 18v.1",
  minus: "M5 12h14",
  moon: "M19 14.5A7.5 7.5 0 0 1 9.5 5 7.5 7.5 0 1 0 19 14.5z",
  next: "M9 5l7 7-7 7",
  people: "M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM2.5 20c.5-4 3-6 6.500-6s6 2 6.500 6M16 5.500a3 3 0 0 1 0 6M18 14.500c2 .8 3.200 2.500 3.500 5.500",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.500 20.500c.7-4 3.500-6 7.500-6s6.800 2 7.500 6",
  priority: "M12 4v10M12 19v.1",
  pulse: "M3 12h4l3-7 4 14 3-7h4",
  recall: "M9 7H4V2M4.500 7A8.500 8.500 0 1 1 3.500 12",
  refresh: "M20 7v5h-5M19.500 12A7.500 7.500 0 1 0 18 16.500",
  reply: "M10 6l-6 6 6 6M4 12h11a5 5 0 0 1 5 5v1",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16.200 16.200 21 21",
  send: "M4 12 20 4.500 15.500 20l-4-6.500zM11.500 13.500 20 4.500",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5",
  shield: "M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6z",
  smile: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM8.500 14c1.800 2.300 5.200 2.300 7 0M9 9.500v.1M15 9.500v.1",
  stuck: "M7 3h10M7 21h10M8 3c0 5 8 6 8 9s-8 4-8 9M16 3c0 5-8 6-8 9s8 4 8 9",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500 19 19M5 19l1.500-1.500M17.500 6.500 19 5",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  up: "M6 15l6-6 6 6",
  warning: "M12 4 2.500 20h19zM12 10v4.500M12 17.300v.1",
} as const;

export type IconName = keyof typeof paths;

/** Icon draws one in the colour of the text, as large as a line of it or as its style says. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="svg" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
