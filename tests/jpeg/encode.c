/* JPEG files with any sampling factors, orders of scans and markers, written by libjpeg for tests/jpeg/run. */
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

enum { PROGRESSIVE = 1, SCAN_EACH = 2, NO_JFIF = 4, ADOBE = 8, RGB = 16 };

/* The pixels as a file of *bytes at the address that is returned. h, v: sampling factors of up to three components. */
unsigned char *encode(const unsigned char *pixels, const int shape[3], const int *h, const int *v, int quality, int restart, int flags,
                      unsigned long *bytes)
{
    static jpeg_scan_info scans[3];
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    unsigned char *file = NULL;
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &file, bytes);
    c.image_height = (JDIMENSION)shape[0];
    c.image_width = (JDIMENSION)shape[1];
    c.input_components = shape[2];
    c.in_color_space = shape[2] == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&c);
    if ((flags & RGB) != 0)
        jpeg_set_colorspace(&c, JCS_RGB);
    jpeg_set_quality(&c, quality, (flags & PROGRESSIVE) == 0);
    for (int k = 0; k < shape[2]; ++k) {
        c.comp_info[k].h_samp_factor = h[k];
        c.comp_info[k].v_samp_factor = v[k];
        scans[k] = (jpeg_scan_info){1, {k}, 0, 63, 0, 0};
    }
    if ((flags & PROGRESSIVE) != 0) {
        jpeg_simple_progression(&c);
    } else if ((flags & SCAN_EACH) != 0) {
        c.scan_info = scans;
        c.num_scans = shape[2];
    }
    c.restart_interval = (unsigned)restart;
    c.write_JFIF_header = (flags & NO_JFIF) == 0;
    c.write_Adobe_marker = (flags & ADOBE) != 0;
    jpeg_start_compress(&c, TRUE);
    while (c.next_scanline < c.image_height) {
        JSAMPROW row = (JSAMPROW)pixels + (size_t)c.next_scanline * (size_t)shape[1] * (size_t)shape[2];
        jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    return file;
}
