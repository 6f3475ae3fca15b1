// Lists the licences of all that is shipped in docs/licences.md. Fails on one that is not allowed.
// node licences.mjs THIRD-PARTY.txt package-lock.json licences.md
// Or fails on a library of the service's jar, whose entries it reads, and on a package that is not listed there.
// jar tf JAR | node licences.mjs --listed licences.md package-lock.json
import { readFileSync, writeFileSync } from "node:fs";

/** What may be shipped, by SPDX, and the names under which projects declare it. Of several licences of one project, one must be here. */
const ALLOWED = {
  "Apache-2.0": /^(the )?apache([- ](software )?license)?,?[- ]?(v(ersion)? ?)?2(\.0)?$/i,
  MIT: /^((the )?mit( license)?|\(?MIT OR CC0-1\.0\)?)$/i,
  "BSD-2-Clause": /^bsd[- ]2-clause( "simplified" license)?$/i,
  "BSD-3-Clause": /^(bsd-3-clause|edl 1\.0|eclipse distribution license - v 1\.0)$/i,
  "0BSD": /^0bsd$/i,
  ISC: /^isc$/i,
  "EPL-2.0": /^(epl[- ]2\.0|eclipse public license v2\.0)$/i,
  "OFL-1.1": /^ofl-1\.1$/i,
  Unlicense: /^unlicense$/i,
};

const npm = (lock) =>
  Object.entries(JSON.parse(readFileSync(lock, "utf8")).packages)
    .filter(([path, each]) => path && !each.dev && !each.devOptional)
    .map(([path, each]) => ({ name: `npm:${path.replace(/^.*node_modules\//, "")}:${each.version}`, licences: [each.license ?? "none"] }));

/** The libraries of a jar's entries and the packages of a lock file that a page does not list. */
function unlisted(page, lock, entries) {
  const listed = new Set([...readFileSync(page, "utf8").matchAll(/^\| (\S+) \|/gm)].map(([, name]) => name));
  const jars = [...listed].map((name) => `${name.split(":").slice(-2).join("-")}-`);
  const libraries = [...entries.matchAll(/^BOOT-INF\/lib\/(?!headgate-)(.+)\.jar$/gm)].map(([, library]) => library);
  if (libraries.length === 0) return ["the service's jar"];
  const released = (library) => library.replace(/^spring-boot-jarmode-tools-/, "spring-boot-"); // in no pom, part of Spring Boot
  return [
    ...libraries.filter((library) => !jars.some((jar) => `${released(library)}-`.startsWith(jar))), // it may have a classifier
    ...npm(lock).flatMap(({ name }) => (listed.has(name) ? [] : [name])),
  ];
}

if (process.argv[2] === "--listed") {
  const missing = unlisted(process.argv[3], process.argv[4], readFileSync(0, "utf8"));
  for (const name of missing) console.error(`${name} is not listed in docs/licences.md; ./headgate check licences writes it`);
  process.exit(missing.length ? 1 : 0);
}

const [thirdParty, lock, page] = process.argv.slice(2);

/** "(A) (B (C)) Name (group:artifact:version - address)" */
function maven(line) {
  const licences = [];
  let rest = line.trim();
  while (rest.startsWith("(")) {
    let depth = 0;
    let end = 0;
    do depth += { "(": 1, ")": -1 }[rest[end]] ?? 0;
    while (depth > 0 && ++end < rest.length);
    licences.push(rest.slice(1, end));
    rest = rest.slice(end + 1).trim();
  }
  const [, name] = rest.match(/\(([^\s()]+:[^\s()]+:[^\s()]+) - [^()]*\)$/) ?? [];
  return name && { name, licences };
}

const shipped = readFileSync(thirdParty, "utf8").split("\n").map(maven).filter(Boolean);
shipped.push(...npm(lock));
const spdx = (licence) => Object.keys(ALLOWED).find((id) => ALLOWED[id].test(licence.trim()));
const refused = shipped.filter((each) => !each.licences.some(spdx));
const rows = shipped
  .map(({ name, licences }) => `| ${name} | ${licences.map((licence) => spdx(licence) ?? licence).join(", ")} |`)
  .sort();
writeFileSync(
  page,
  `# Licences of what is shipped

Written by \`./headgate check licences\`, from the poms of the Maven artifacts and \`frontend/package-lock.json\`. Of several licences
of one project, one must be allowed: ${Object.keys(ALLOWED).join(", ")}.

| artifact | licence |
| --- | --- |
${[...new Set(rows)].join("\n")}
`,
);
console.log(`${shipped.length} artifacts, ${refused.length} with a licence that is not allowed`);
for (const { name, licences } of refused) console.error(`${name}: ${licences.join(", ")}`);
process.exit(shipped.length === 0 || refused.length ? 1 : 0);
