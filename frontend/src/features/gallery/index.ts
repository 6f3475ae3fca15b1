import "./gallery.css";

export { Gallery } from "./Gallery";
