/**
 * What an experiment is: a question from a published system, a program that answers it with measurements of this machine, and a report.
 * Experiments know nothing of the service that runs them.
 */
@NullMarked
package dev.headgate.lab.experiment;

import org.jspecify.annotations.NullMarked;
