package dev.wheelhouse.node.cri;

import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The part of a volume that a mount shows. The last line of the table is the mount in question, at {@code /t}. */
class MountsTest {
    private static final String TABLE = """
            20 1 8:1 / / rw - ext4 /dev/sda1 rw
            21 20 0:5 / /vol/tmp rw - tmpfs tmpfs rw
            22 20 8:2 /export/a /vol/disk rw - ext4 /dev/sdb rw
            23 20 8:1 /with\\040space /odd\\134name rw - ext4 /dev/sda1 rw
            24 20 %s /t rw - ext4 x rw
            """;

    @ParameterizedTest(name = "{0} of {1} in {2}: {3}")
    @CsvSource(delimiter = '|', value = {
            "8:1 | /vol/a/b       | /vol/a     | true",
            "8:1 | /vol/a         | /vol/a     | true",
            "8:1 | /vol/a//deleted| /vol/a     | true",
            "8:1 | /vol/ab        | /vol/a     | false",
            "8:1 | /vol           | /vol/a     | false",
            "8:1 | /etc           | /vol/a     | false",
            "8:2 | /vol/a/b       | /vol/a     | false",
            "0:5 | /x             | /vol/tmp   | true",
            "0:5 | /x             | /vol/tmp/y | false",
            "8:2 | /export/a/x    | /vol/disk  | true",
            "8:2 | /export/b      | /vol/disk  | false",
            "8:2 | /export/a/x    | /vol       | true",
            "8:2 | /export/b      | /vol       | false",
            "8:1 | /with space/x  | /odd\\name | true",
            "0:9 | /              | /vol       | false"})
    void aMountShowsAPartOfADirectoryOrNot(String device, String root, String directory, boolean expected) {
        Mounts mounts = Mounts.of((TABLE.formatted(device + " " + root.replace(" ", "\\040"))).lines());
        assertThat(mounts.showsPartOf(Path.of(directory), Path.of("/t"))).isEqualTo(expected);
        assertThat(mounts.has(Path.of("/odd\\name"))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"/vol, true", "/vol/tmp, true", "/vol/tm, false", "/, true"})
    void aMountIsAtOrBelowAPath(String path, boolean expected) {
        Mounts mounts = Mounts.of(Stream.of("21 20 0:5 / /vol/tmp rw - tmpfs tmpfs rw"));
        assertThat(mounts.all().get(0).isAtOrBelow(Path.of(path))).isEqualTo(expected);
    }
}
