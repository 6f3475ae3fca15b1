/**
 * All that the author of a policy sees of Headgate.
 *
 * <p>A plugin is a jar with one {@link dev.headgate.spi.PolicyFactory}, named in
 * {@code META-INF/services/dev.headgate.spi.PolicyFactory}. The factory makes {@link dev.headgate.spi.Policy policies};
 * a policy is shown a {@link dev.headgate.spi.PoolView view} of its pool and answers with
 * {@link dev.headgate.spi.Limits limits}. Nothing else connects the two sides: this package depends on the JDK alone,
 * and no type of the service that calls it is visible to a plugin.
 *
 * <p>Unless a docstring says otherwise nothing here is null, every duration is in nanoseconds, every time read off
 * {@code nanoTime} is monotonic with an arbitrary origin, and every record is immutable.
 */
package dev.headgate.spi;
