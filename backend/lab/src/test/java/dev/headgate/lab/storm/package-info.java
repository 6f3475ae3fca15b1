/** Retry storms: which policy sets come back after one, and which stay down. */
package dev.headgate.lab.storm;
