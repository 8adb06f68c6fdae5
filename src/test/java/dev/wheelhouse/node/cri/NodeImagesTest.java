package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.node.cri.NodeImages.Known;
import dev.wheelhouse.node.cri.proto.Cri.Image;

import static org.assertj.core.api.Assertions.assertThat;

/** Which images are removed, and how many bytes of them. */
class NodeImagesTest {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private static Image image(String id, String tag, boolean pinned) {
        return Image.newBuilder().setId(id).addRepoTags(tag).setSize(10).setPinned(pinned).build();
    }

    private static List<String> removable(Map<String, Known> known, long minute) {
        return NodeImages.removable(known, minute * MINUTE).stream().map(Known::id).toList();
    }

    @Test
    void theImageThatIsUnusedForTheLongestTimeGoesFirst() {
        List<Image> images = List.of(image("a", "x/a:1", false), image("b", "x/b:1", false),
                image("c", "x/c:1", false), image("p", "x/p:1", true), image("s", "x/pause:1", false));
        Map<String, Known> known = NodeImages.look(Map.of(), images, Set.of("x/pause:1", "b"), 0);
        assertThat(removable(known, 1)).as("images of a minute").isEmpty();
        assertThat(removable(known, 2)).containsExactly("a", "c");

        known = NodeImages.look(known, images, Set.of("x/pause:1", "a"), 5 * MINUTE);
        assertThat(removable(known, 6)).containsExactly("b", "c");
        known = NodeImages.look(known, images, Set.of("x/pause:1", "x/c:1"), 6 * MINUTE);
        assertThat(removable(known, 7)).containsExactly("b", "a");

        known = NodeImages.look(known, images.subList(2, 5), Set.of("x/pause:1"), 8 * MINUTE);
        assertThat(removable(known, 8)).as("after two were removed by somebody").containsExactly("c");
    }

    @Test
    void anImageThatComesBackIsNew() {
        List<Image> images = List.of(image("a", "x/a:1", false));
        Map<String, Known> known = NodeImages.look(Map.of(), images, Set.of(), 0);
        known = NodeImages.look(NodeImages.look(known, List.of(), Set.of(), MINUTE), images, Set.of(), 5 * MINUTE);
        assertThat(removable(known, 6)).isEmpty();
        assertThat(removable(known, 7)).containsExactly("a");
    }

    @ParameterizedTest(name = "{1} of {0} left: {2} to free")
    @CsvSource({"1000, 160, 0", "1000, 159, 41", "1000, 150, 50", "1000, 0, 200", "1000, 1000, 0", "0, 0, 0",
            "100000000000000, 10000000000000, 10000000000000"})
    void aDiskOfMoreThanEightyFivePercentIsBroughtToEighty(long capacity, long available, long expected) {
        assertThat(NodeImages.excess(capacity, available)).isEqualTo(expected);
    }
}
