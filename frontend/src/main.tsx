import "@fontsource-variable/inter/wght.css";
import "@fontsource/jetbrains-mono/latin-400.css";
import "./app/mantineParts.css";
import "./app/tokens.css";
import "./app/styles.css";
import "./app/mantine.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { preloadPage } from "./app/router";

preloadPage();
createRoot(document.getElementById("root") as HTMLElement).render(<App />);
