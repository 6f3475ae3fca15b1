/**
 * Pools under policy: a gate, a governor and a meter for each domain, behind {@link dev.headgate.engine.Engine}. Knows
 * the JDK, the policy SPI, HikariCP, HdrHistogram and pgjdbc; no Spring, no HTTP, no plugin loader, no wire protocol.
 */
package dev.headgate.engine;
