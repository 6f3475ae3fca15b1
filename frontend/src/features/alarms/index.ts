import "./alarms.css";

export { AlarmList } from "./AlarmList";
