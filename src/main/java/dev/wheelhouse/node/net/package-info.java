/**
 * The network that the pods of a node need, on a machine that runs containers: addresses of Services and host ports by
 * rules of nftables, names by a small DNS server, and the environment variables of Services. {@code PodNetwork} puts
 * these together. {@code ServiceRules} and {@code ClusterNames} are pure; {@code NftTable} and {@code DnsServer} act.
 * No other process loads this package.
 */
@NullMarked
package dev.wheelhouse.node.net;

import org.jspecify.annotations.NullMarked;
