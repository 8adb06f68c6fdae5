/** How long the work of one request may take: kept by the transports, checked by every loop whose length a client chooses. */
@NullMarked
package dev.wheelhouse.apiserver.work;

import org.jspecify.annotations.NullMarked;
