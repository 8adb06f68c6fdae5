package dev.wheelhouse.scheduler;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Profiles as texts of a configuration file. */
final class ProfileTexts {
    static final Profile DEFAULT = Objects.requireNonNull(SchedulerConfig.DEFAULT.profiles().get(Scheduler.NAME));

    private ProfileTexts() {}

    /** A configuration with these further lines. */
    static SchedulerConfig config(String yaml) {
        return SchedulerConfig.of(("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                + yaml).getBytes(StandardCharsets.UTF_8));
    }

    /** The only profile, which has these fields in the form {@code name: value, name: value}. */
    static Profile profile(String fields) {
        return config("profiles: [{" + fields + "}]").profiles().values().iterator().next();
    }
}
