/** What was asked of each pool lately, lease by lease, kept so that it can be replayed under other policies. */
package dev.headgate.engine.recording;
