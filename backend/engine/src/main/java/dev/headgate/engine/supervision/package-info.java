/** What keeps threads and timers going whatever is thrown on them, and tells of it. */
package dev.headgate.engine.supervision;
