package dev.wheelhouse.election;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Lease;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Clock;

/**
 * The Leases of a group of replicas, as this process saw them last: those of the shards, and one of each replica, by
 * which the others know that it lives. The times in the Leases come from other machines and are ignored. One thread
 * uses it.
 */
final class ShardLeases {
    private static final Logger log = LoggerFactory.getLogger(ShardLeases.class);
    /** The Lease of a replica that is gone is deleted after this number of lease durations. */
    private static final int FORGOTTEN = 10;
    private static final int LONGEST_LABEL = 63;

    private final ElectionOptions group;
    private final int shards;
    private final Map<String, String> labels;
    /** The name of a Lease of a shard, of any number of shards. */
    private final Pattern shard;
    private final ElectionOptions replica;
    private final ResourceClient<V1Lease> leases;
    private final Clock clock;
    /** Each Lease by its name, with the time at which this process first saw it in that state. */
    private Map<String, LeaseWatch.Seen> seen = Map.of();

    /** @throws IllegalArgumentException if the group's name is too long for a label */
    ShardLeases(ElectionOptions group, int shards, ResourceClient<V1Lease> leases, Clock clock) {
        String name = group.lease().name();
        if (name.length() > LONGEST_LABEL) {
            throw new IllegalArgumentException("the name " + name + " has more than " + LONGEST_LABEL
                    + " characters, so it cannot be a label of the Leases of shards");
        }
        this.group = group;
        this.shards = shards;
        this.labels = Map.of(ShardElector.LABEL, name);
        this.shard = Pattern.compile(Pattern.quote(name) + "-shard-\\d+-of-\\d+");
        this.replica = group.of(
                replicas() + group.identity().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "-"), labels);
        this.leases = leases;
        this.clock = clock;
    }

    /** The beginning of the names of the Leases of replicas with the same number of shards. */
    private String replicas() {
        return group.lease().name() + "-replica-of-" + shards + "-";
    }

    private boolean isReplica(String name) {
        return name.startsWith(group.lease().name() + "-replica-of-");
    }

    /** The name of the Lease of a shard. */
    String name(int shard) {
        return group.lease().name() + "-shard-" + shard + "-of-" + shards;
    }

    /** The options of the election of a shard's leader. */
    ElectionOptions options(int shard) {
        return group.of(name(shard), labels);
    }

    /**
     * Reads all Leases, renews this replica's own one even if another process wrote it, and deletes the Leases of
     * replicas that are long gone.
     */
    void look() {
        read();
        LeaseWatch.Seen listed = seen.get(replica.lease().name());
        V1Lease own = listed != null ? listed.lease() : leases.find(replica.lease()).orElse(null);
        V1Lease next = ElectionDecision.held(replica, own, clock.now());
        if (own == null) {
            leases.create(next);
        } else {
            leases.update(next);
        }
        seen.forEach((name, state) -> {
            if (isReplica(name) && age(state) > FORGOTTEN * group.leaseDuration().toNanos()) {
                delete(ObjectKey.of(state.lease()), Deletion.ofUid(state.lease().getMetadata().getUid()));
            }
        });
    }

    private void read() {
        Map<String, LeaseWatch.Seen> now = new HashMap<>();
        for (V1Lease lease : leases.list(group.lease().namespace(), LabelSelector.of(labels),
                FieldSelector.everything(), ListOptions.consistent(0)).items()) {
            String name = ObjectKey.of(lease).name();
            LeaseWatch.Seen before = seen.get(name);
            long since = before != null && Objects.equals(before.lease().getSpec(), lease.getSpec())
                    ? before.at()
                    : clock.nanoTime();
            now.put(name, new LeaseWatch.Seen(lease, since));
        }
        seen = now;
    }

    /** Tells the other replicas that this one is gone. */
    void leave() {
        delete(replica.lease(), Deletion.unconditional());
    }

    private void delete(ObjectKey key, Deletion deletion) {
        try {
            leases.delete(key, deletion);
        } catch (KubeApiException e) {
            if (!e.isNotFound() && !e.isConflict()) {
                log.info("the lease {} could not be deleted: {}", key, e.getMessage());
            }
        }
    }

    /** Whether this replica has written its Lease, so that the others can see it. */
    boolean hasAnnounced() {
        return seen.containsKey(replica.lease().name());
    }

    /** The last state of a shard's Lease; null if there is none. */
    LeaseWatch.@Nullable Seen state(int shard) {
        return seen.get(name(shard));
    }

    /** The holder of each shard that is not free. */
    Map<Integer, String> holders() {
        Map<Integer, String> holders = new TreeMap<>();
        for (int shard = 0; shard < shards; shard++) {
            LeaseWatch.Seen state = state(shard);
            if (state != null && isHeld(state)) {
                holders.put(shard, ElectionDecision.holder(state.lease()));
            }
        }
        return holders;
    }

    /** The replicas that live, each with the number of shards that it holds. */
    Map<String, Integer> living() {
        Map<String, Integer> living = new HashMap<>();
        seen.forEach((name, state) -> {
            if (name.startsWith(replicas()) && isHeld(state)) {
                living.put(ElectionDecision.holder(state.lease()), 0);
            }
        });
        holders().values().forEach(holder -> living.computeIfPresent(holder, (one, count) -> count + 1));
        return living;
    }

    /** Whether a replica leads a shard of another number of shards, so that the ranges of the two overlap. */
    boolean hasForeign() {
        String own = "-of-" + shards;
        return seen.entrySet().stream().anyMatch(entry -> shard.matcher(entry.getKey()).matches()
                && !entry.getKey().endsWith(own) && isHeld(entry.getValue()));
    }

    private boolean isHeld(LeaseWatch.Seen state) {
        return !ElectionDecision.holder(state.lease()).isEmpty() && untilFree(state) > 0;
    }

    private long untilFree(LeaseWatch.Seen state) {
        return ElectionDecision.freeAfter(group, state.lease()).toNanos() - age(state);
    }

    private long age(LeaseWatch.Seen state) {
        return clock.nanoTime() - state.at();
    }

    /** The nanoseconds until the next Lease expires, if it is not renewed; at most {@code most}. */
    long untilNextExpiry(long most) {
        return seen.values().stream().mapToLong(this::untilFree).filter(left -> left > 0).reduce(most, Math::min);
    }
}
