import CGTK
import SwiftPlay

/// Keeps a picture while GTK uses its bytes.
private final class PictureHolder {
    let picture: PixelBuffer
    init(_ picture: PixelBuffer) { self.picture = picture }
}

/// Returns a texture over the bytes of a picture in the format `bgra`, without copying them. The caller owns the
/// reference. The memory returns to its pool when GTK releases the texture.
func makeTexture(of picture: PixelBuffer) -> OpaquePointer? {
    precondition(picture.pixelFormat == .bgra, "the picture must be converted to bgra first")
    let stride = picture.bytesPerRow(ofPlane: 0)
    let holder = Unmanaged.passRetained(PictureHolder(picture))
    let bytes = picture.withUnsafeBytes(ofPlane: 0) { bytes in
        g_bytes_new_with_free_func(
            bytes.baseAddress, gsize(bytes.count),
            { data in if let data { Unmanaged<PictureHolder>.fromOpaque(data).release() } }, holder.toOpaque())
    }
    defer { g_bytes_unref(bytes) }
    // All alpha values are 255, so the premultiplied format holds too. GTK draws that format without a conversion.
    return gdk_memory_texture_new(
        gint(picture.width), gint(picture.height), GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes, gsize(stride))
}
