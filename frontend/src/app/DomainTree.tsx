import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useLive, usePools } from "@/stream/hooks";
import { FilterBox } from "@/ui/FilterBox";
import { useFocusHelp } from "@/ui/Help";
import { isTrouble, shapeOf, toneOf } from "@/ui/health";
import { useVisibleRows } from "@/ui/visibleRows";
import { rowAfter, rowTyped, type TreeRow, treeOf } from "./tree";

const KEY = "headgate.tree.closed";
const ROW = 30;
const FEW = 40;
/** More rows than this give way to the other pages, and scroll. */
const ROOMY = 5;
const TYPING_MS = 700;

function readClosed(): ReadonlySet<string> {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return new Set(Array.isArray(names) ? names.filter((name) => typeof name === "string") : []);
  } catch {
    return new Set();
  }
}

function keepClosed(closed: ReadonlySet<string>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([...closed]));
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

/** Databases and their domains, to be filtered and walked by keys. "/" leads to the filter where `shortcut` is set. */
export function DomainTree({ shortcut = false }: { shortcut?: boolean }) {
  const domains = usePools();
  const databases = useLive((s) => s.databases());
  const navigate = useNavigate();
  const here = useParams({ strict: false, select: (params: { domain?: string }) => params.domain });
  const [closed, setClosed] = useState(readClosed);
  const [filter, setFilter] = useState("");
  const [at, setAt] = useState(0);
  const [wanted, setWanted] = useState(-1);
  const list = useRef<HTMLUListElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const rows = useMemo(() => treeOf(domains, databases, closed, filter), [domains, databases, closed, filter]);
  const current = Math.min(at, rows.length - 1);
  const seen = useVisibleRows({ container: list, count: rows.length, estimate: ROW, all: rows.length <= FEW });

  const stop = seen.visible.some((row) => row.index === current) ? current : seen.visible[0]?.index; // of the Tab key

  useEffect(() => {
    if (!shortcut) return;
    const listen = (event: globalThis.KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isField(target)) return;
      if (!box.current?.checkVisibility()) return;
      event.preventDefault();
      box.current.focus();
      box.current.select();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [shortcut]);

  // A row that a key leads to is drawn first and gets the focus then.
  useEffect(() => {
    const row = wanted < 0 ? null : list.current?.querySelector<HTMLElement>(`[data-row="${wanted}"]`);
    if (!row) return;
    row.focus();
    setWanted(-1);
  });

  const toggle = (name: string) => {
    const next = new Set(closed);
    if (!next.delete(name)) next.add(name);
    setClosed(next);
    keepClosed(next);
  };

  const goTo = (index: number) => {
    if (index < 0) return;
    setAt(index);
    seen.show(index);
    setWanted(index);
  };

  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = Number((event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset.row ?? current);
    const row = rows[from];
    if (!row) return;
    if (row.kind === "database" && event.key === (row.open ? "ArrowLeft" : "ArrowRight")) {
      event.preventDefault();
      toggle(row.name);
      return;
    }
    if (event.key === "ArrowRight" && row.kind === "database") {
      event.preventDefault();
      goTo(rowAfter(rows, from, "ArrowDown"));
      return;
    }
    let next = rowAfter(rows, from, event.key);
    if (next < 0 && event.key === "ArrowUp") {
      event.preventDefault();
      box.current?.focus();
      return;
    }
    if (next < 0 && /^[a-z0-9-]$/i.test(event.key)) {
      const now = event.timeStamp;
      const { text, at: last } = typed.current;
      typed.current = { text: (now - last < TYPING_MS ? text : "") + event.key.toLowerCase(), at: now };
      next = rowTyped(rows, from, typed.current.text);
    }
    if (next < 0) return;
    event.preventDefault();
    goTo(next);
  };

  const onFilter = useCallback((text: string) => {
    setFilter(text);
    setAt(0);
  }, []);

  return (
    <div className={`tree ${rows.length > ROOMY ? "many" : ""}`}>
      <FilterBox
        box={box}
        label="Filter the navigation"
        placeholder={shortcut ? "Filter domains  /" : "Filter domains"}
        value={filter}
        onChange={onFilter}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" && rows.length > 0) {
            event.preventDefault();
            goTo(0);
          }
          const first = rows.find((row) => row.kind === "domain");
          if (event.key === "Enter" && filter !== "" && first)
            void navigate({ to: "/domains/$domain", params: { domain: first.name } });
        }}
      />
      {rows.length === 0 && filter !== "" && <p className="faint tree-none">No domain fits.</p>}
      <ul ref={list} className="tree-rows" aria-label="Databases and domains" onKeyDown={onKey}>
        {seen.before > 0 && <li aria-hidden="true" style={{ height: seen.before }} />}
        {seen.visible.map(({ index }) => {
          const row = rows[index];
          if (!row) return null;
          const props = {
            "data-row": index,
            tabIndex: index === stop || (row.kind === "domain" && row.name === here) ? 0 : -1,
            onFocus: () => setAt(index),
          };
          return (
            <li key={`${row.kind} ${row.name}`} style={{ height: ROW }}>
              {row.kind === "database" ? (
                <button
                  type="button"
                  className="tree-database"
                  aria-expanded={row.open}
                  onClick={() => toggle(row.name)}
                  {...props}
                >
                  <span aria-hidden="true">{row.open ? "▾" : "▸"}</span>
                  <span className="tree-name">{row.name}</span>
                  {row.health && isTrouble(row.health) && (
                    <span className={toneOf(row.health)} title={row.health.sentence}>
                      <span aria-hidden="true">{shapeOf(row.health)}</span>
                      <span className="sr-only">{row.health.label}</span>
                    </span>
                  )}
                  <span className={`n ${row.troubled > 0 ? "alarmed" : ""}`}>
                    {row.troubled > 0 ? (
                      <>
                        {row.troubled}
                        <span className="sr-only"> of {row.domains} domains in trouble</span>
                        <span aria-hidden="true"> ▲</span>
                      </>
                    ) : (
                      row.domains
                    )}
                  </span>
                </button>
              ) : (
                <DomainLink row={row} {...props} />
              )}
            </li>
          );
        })}
        {seen.after > 0 && <li aria-hidden="true" style={{ height: seen.after }} />}
      </ul>
    </div>
  );
}

type LinkProps = {
  row: Extract<TreeRow, { kind: "domain" }>;
  "data-row": number;
  tabIndex: number;
  onFocus: () => void;
};

function DomainLink({ row, onFocus, ...props }: LinkProps) {
  const { health } = row.domain;
  const isFine = health.severity === "fine";
  const { explained, bubble } = useFocusHelp(isFine ? undefined : health.sentence);
  return (
    <>
      <Link
        to="/domains/$domain"
        params={{ domain: row.name }}
        className={`sub ${isTrouble(health) ? toneOf(health) : ""}`}
        title={isFine ? row.name : `${row.name}: ${health.sentence}`}
        {...props}
        {...explained}
        onFocus={(event) => {
          onFocus();
          explained.onFocus(event);
        }}
      >
        <span className="tree-name">{row.name}</span>
        {!isFine && (
          <span className="n" style={{ color: "inherit" }}>
            <span aria-hidden="true">{shapeOf(health)}</span>
            <span className="sr-only">{health.label}</span>
          </span>
        )}
      </Link>
      {bubble}
    </>
  );
}

const isField = (element: HTMLElement) =>
  element.isContentEditable || element.matches("input, textarea, select") || element.closest(".cm-editor") !== null;
