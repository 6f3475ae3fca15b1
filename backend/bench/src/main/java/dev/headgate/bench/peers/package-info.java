/**
 * Pools for JDBC beside one another: Headgate's data source and those of its peers, with equal settings on one server. {@link
 * dev.headgate.bench.peers.PeersBench} measures them, {@link dev.headgate.bench.peers.ContractBench} tries what they promise.
 */
package dev.headgate.bench.peers;
