package dev.wheelhouse.apiserver.resources;

import java.util.Arrays;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The order of API versions by preference: {@code v2}, {@code v1}, {@code v1beta1}, {@code v1alpha1}, then all others
 * by name (upstream: {@code apimachinery/pkg/version/helpers.go}).
 */
public final class KubeVersions {
    public static final Comparator<String> PREFERRED_FIRST = KubeVersions::compare;
    private static final Pattern FORM = Pattern.compile("v([0-9]{1,9})(?:(alpha|beta)([0-9]{1,9}))?");

    private KubeVersions() {}

    private static int compare(String a, String b) {
        int order = Arrays.compare(ranks(b), ranks(a));
        return order != 0 ? order : a.compareTo(b);
    }

    /** Stability, major and minor version; higher ranks are preferred. */
    private static long[] ranks(String version) {
        Matcher m = FORM.matcher(version);
        if (!m.matches()) {
            return new long[]{0, 0, 0};
        }
        String stage = m.group(2);
        long stability = stage == null ? 3 : stage.equals("beta") ? 2 : 1;
        return new long[]{stability, Long.parseLong(m.group(1)), stage == null ? 0 : Long.parseLong(m.group(3))};
    }
}
