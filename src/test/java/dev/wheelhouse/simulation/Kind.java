package dev.wheelhouse.simulation;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** The kinds of workloads that take part in the simulation. */
enum Kind {
    ATTACHMENTS(1, AttachmentsWorkload::new, AttachmentsFaults::all),
    ATTRIBUTES(1, AttributesWorkload::new, AttributesFaults::all),
    AUTOSCALER(2, AutoscalerWorkload::new, AutoscalerFaults::all),
    /** Alone, see {@link Mix}. */
    BOOTSTRAP(0, BootstrapWorkload::new, BootstrapFaults::all),
    BUDGET(1, BudgetWorkload::new, BudgetFaults::all),
    CERTIFICATES(1, CertificatesWorkload::new, CertificateFaults::all),
    CLAIMS(1, ClaimsWorkload::new, ClaimFaults::all),
    CRON_JOB(2, CronJobWorkload::new, CronJobFaults::all),
    DAEMON_SET(3, DaemonSetWorkload::new, DaemonSetFaults::all),
    DEPLOYMENT(6, DeploymentWorkload::new, DeploymentFaults::all),
    /** Alone, see {@link Mix}. */
    DEVICES(0, DevicesWorkload::new, DeviceFaults::all),
    IDENTITY(1, IdentityWorkload::new, IdentityFaults::all),
    JOB(3, JobWorkload::new, JobFaults::all),
    NAMESPACE(1, NamespaceWorkload::new, NamespaceFaults::all),
    /** Never beside others, see {@link Mix}. */
    NODES(0, NodesWorkload::new, NodeFaults::all),
    OWNERS(1, OwnersWorkload::new, GarbageFaults::all),
    PODS(2, PodsWorkload::new, PodGarbageFaults::all),
    /** Alone, see {@link Mix}. */
    POLICIES(0, PoliciesWorkload::new, PolicyFaults::all),
    QUOTA(1, QuotaWorkload::new, QuotaFaults::all),
    RANGES(1, RangesWorkload::new, RangeFaults::all),
    REPLICA_SETS(2, ReplicaSetsWorkload::new, ReplicaSetFaults::all),
    SERVICES(2, ServicesWorkload::new, ServiceFaults::all),
    STATEFUL_SET(3, StatefulSetWorkload::new, StatefulSetFaults::all);

    private final int weight;
    private final Draw draw;
    private final Supplier<List<PlantedFault>> faults;

    /**
     * @param weight how often the kind is drawn, compared with the others
     * @param faults the defects of the kind's controllers that its rules have to catch
     */
    Kind(int weight, Draw draw, Supplier<List<PlantedFault>> faults) {
        this.weight = weight;
        this.draw = draw;
        this.faults = faults;
    }

    /** Makes a workload. */
    interface Draw {
        /** @param disrupted whether pods become unready by themselves, are deleted and evicted */
        Workload of(String name, Random random, boolean disrupted);
    }

    Workload draw(String name, Random random, boolean disrupted) {
        return draw.of(name, random, disrupted);
    }

    List<PlantedFault> faults() {
        return faults.get();
    }

    static Kind any(Random random) {
        int left = random.nextInt(List.of(values()).stream().mapToInt(k -> k.weight).sum());
        for (Kind kind : values()) {
            left -= kind.weight;
            if (left < 0) {
                return kind;
            }
        }
        throw new AssertionError(left);
    }
}
