import "./console.css";

export { Console } from "./Console";
