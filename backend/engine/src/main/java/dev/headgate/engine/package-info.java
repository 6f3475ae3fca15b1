/**
 * Pools under policy: a gate, a governor and a meter for each domain, behind {@link dev.headgate.engine.Engine}. Depends on
 * the JDK, the policy SPI, HikariCP, HdrHistogram and pgjdbc. Knows no Spring, no HTTP, no plugin loader, no wire protocol.
 */
package dev.headgate.engine;
