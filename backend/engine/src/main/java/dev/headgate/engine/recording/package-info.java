/** Records the recent lease requests of each pool, so that they can be replayed under other policies. */
package dev.headgate.engine.recording;
