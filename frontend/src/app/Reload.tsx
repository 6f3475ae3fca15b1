import { useEffect, useState } from "react";

const KEY = "headgate.reloaded";
const RETRY_MS = 2_000;

/** A page that was loaded for the same reason within this time is not loaded again by itself. */
const ONCE_PER_MS = 60_000;

/**
 * Stands where a page's code could not be loaded. As soon as the service answers, it loads the page again, with the code
 * of the version that runs now. It does so once by itself; where that does not help, the button remains.
 */
export function Reload({ reload = () => window.location.reload() }: { reload?: () => void }) {
  const [tried] = useState(() => Date.now() - Number(sessionStorage.getItem(KEY) ?? 0) < ONCE_PER_MS);

  useEffect(() => {
    if (tried) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      const answers = await fetch("/", { cache: "no-store" }).then(
        (response) => response.ok,
        () => false,
      );
      if (over) return;
      if (!answers) {
        timer = setTimeout(ask, RETRY_MS);
        return;
      }
      sessionStorage.setItem(KEY, String(Date.now()));
      reload();
    };
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [tried, reload]);

  return (
    <div className="panel empty" role="alert">
      <h1>This page could not be loaded</h1>
      <p>
        The service is restarting, or was updated since you opened the dashboard.
        {!tried && " The page loads again as soon as the service answers."}
      </p>
      <p>
        <button type="button" className="btn pri" onClick={reload}>
          Load the page again
        </button>
      </p>
    </div>
  );
}
