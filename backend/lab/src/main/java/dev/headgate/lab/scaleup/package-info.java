/**
 * TPC-B split over several databases, after Neimat and Schneider: transactions that touch two databases commit in two phases, and
 * throughput per 100 ms shows when databases stand still together.
 *
 * <p>{@link dev.headgate.lab.scaleup.SplitBank} is the workload, {@code Coordinator} and {@code Recovery} are the two sides of the
 * two-phase commit, {@link dev.headgate.lab.scaleup.Convoys} is the statistics, and {@link dev.headgate.lab.scaleup.ScaleUp} the
 * experiment.
 */
@NullMarked
package dev.headgate.lab.scaleup;

import org.jspecify.annotations.NullMarked;
