package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

/**
 * The buffer between the informer loop and one listener, in the order of arrival. If the buffer is over its bound, an
 * update is merged with the pending update of the same UID, unless an add or a delete of that UID lies between; the
 * merged update has the last place. Adds and deletes are always kept. The size is therefore limited by the bound, plus
 * the adds and deletes, plus one update for each of these and for each UID. Not thread safe: the listener locks.
 */
final class PendingNotifications<T extends KubernetesObject> {
    private final int bound;
    /**
     * The notifications. Null stands for an update that was merged with a later one. At most half of the places are
     * null.
     */
    private List<Notification<T>> pending = new ArrayList<>();
    private int takenUp;
    /** Over the bound: the position of each UID's last notification, if that is an update. Null below the bound. */
    private @Nullable Map<String, Integer> updates;

    PendingNotifications(int bound) {
        this.bound = bound;
    }

    /**
     * Appends a notification or merges it.
     * @return whether it was merged
     */
    boolean add(Notification<T> notification) {
        if (size() < bound) {
            pending.add(notification);
            return false;
        }
        if (takenUp > pending.size() / 2) {
            dropTakenUp();
        }
        Map<String, Integer> index = updates;
        if (index == null) {
            index = new HashMap<>();
            updates = index;
            for (int i = 0; i < pending.size(); i++) {
                note(index, pending.get(i), i);
            }
        }
        if (notification instanceof Notification.Update<T> update) {
            Integer place = index.get(uid(update.after()));
            if (place != null && pending.get(place) instanceof Notification.Update<T> before) {
                pending.set(place, null);
                takenUp++;
                index.put(Objects.requireNonNull(uid(update.after())), pending.size());
                pending.add(new Notification.Update<>(before.before(), update.after()));
                return true;
            }
        }
        note(index, notification, pending.size());
        pending.add(notification);
        return false;
    }

    private static <T extends KubernetesObject> void note(Map<String, Integer> index, Notification<T> notification,
            int place) {
        switch (notification) {
            case Notification.Update<T> update -> {
                String uid = uid(update.after());
                if (uid != null) {
                    index.put(uid, place);
                }
            }
            case Notification.Add<T> add -> index.remove(uid(add.object()));
            case Notification.Delete<T> delete -> index.remove(uid(delete.object()));
        }
    }

    private static @Nullable String uid(KubernetesObject object) {
        return object.getMetadata().getUid();
    }

    /** Removes and returns all notifications, in order. */
    List<Notification<T>> takeAll() {
        dropTakenUp();
        List<Notification<T>> all = pending;
        pending = new ArrayList<>();
        return all;
    }

    private void dropTakenUp() {
        if (takenUp > 0) {
            pending.removeIf(Objects::isNull);
            takenUp = 0;
        }
        updates = null;
    }

    int size() {
        return pending.size() - takenUp;
    }
}
