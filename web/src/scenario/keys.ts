// The places of a link's values in the scenario's document.

import type { Description, Json } from "../protocol";

type Table = { [key: string]: Json };

/** The dotted key of the table that describes a link; null where no single table describes it. */
export function tableOfLink(description: Description, link: number): string | null {
  const topology = at(description.document, "topology") as Table;
  const [from = "", to = ""] = (description.links[link]?.id ?? "").split("->");
  if (topology["kind"] === "graph") return graphLink(topology, from, to);
  const [one, other] = [router(from), router(to)];
  if (one === null || other === null) return "topology.access";
  const hop = Math.min(one, other) - 1;
  return Array.isArray(topology["bottlenecks"]) ? `topology.bottlenecks.${hop}` : "topology.bottleneck";
}

/** The number of a router of a dumbbell or a parking-lot, from 1. */
function router(node: string): number | null {
  const found = /^r(\d+)$/.exec(node);
  return found ? Number(found[1]) : null;
}

function graphLink(topology: Table, from: string, to: string): string | null {
  const links = (topology["link"] ?? []) as Table[];
  const index = links.findIndex((link) => {
    const between = (link["between"] ?? []) as string[];
    return between.includes(from) && between.includes(to);
  });
  return index < 0 ? null : `topology.link.${index}`;
}

/** The value at a dotted key; undefined where there is none. */
export function at(document: Json, key: string): Json | undefined {
  return key.split(".").reduce<Json | undefined>((value, name) => {
    if (value === null || typeof value !== "object") return undefined;
    return Array.isArray(value) ? value[Number(name)] : value[name];
  }, document);
}

const RATE_MBPS: Record<string, number> = { bit: 1e-6, kbit: 1e-3, mbit: 1, gbit: 1e3, tbit: 1e6 };
const TIME_MS: Record<string, number> = { ns: 1e-6, us: 1e-3, ms: 1, s: 1e3, min: 6e4, h: 3.6e6 };
const PACKETS: Record<string, number> = { p: 1 };

/** A quantity's number in the slider's unit; null for a quantity that the slider cannot show. */
export function quantity(value: Json | undefined, unit: "mbit" | "ms" | "p"): number | null {
  const units = { mbit: RATE_MBPS, ms: TIME_MS, p: PACKETS }[unit];
  const found = typeof value === "string" ? /^([\d.]+)\s*([a-z]+)$/.exec(value.trim()) : null;
  const factor = found ? units[found[2] as string] : undefined;
  return found && factor !== undefined ? Number(found[1]) * factor : null;
}
