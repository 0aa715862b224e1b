/* Calls of a library's stack and split, and of the gradients of both, by their types and by tensors: operands and parts that are not there, shapes, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tn.h"

static int wrong;

static void expect(int line, long long got, long long want)
{
    if (got != want) {
        printf("line %d: %lld, not %lld\n", line, got, want);
        wrong = 1;
    }
}
#define EXPECT(got, want) expect(__LINE__, (got), (want))

static const float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, 8, 9, 10, 11, 12};

static void stacks(void)
{
    const tn_stack_dims between = {{1, {2}}, {1, {3}}, 2};
    tn_stack_dims d = between;
    const float want[12] = {1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12};
    float y[12];
    tn_dims shape;
    EXPECT(tn_stack_shape(&d, NULL, &shape), 0);
    EXPECT(shape.rank, 3);
    EXPECT(shape.dim[0] == 2 && shape.dim[1] == 2 && shape.dim[2] == 3, 1);
    EXPECT((long long)tn_stack_f32_workspace(&d, NULL), 0);
    EXPECT(tn_stack_f32(&d, NULL, a, b, NULL, NULL, NULL, NULL, NULL, NULL, y, NULL, 0), 0);
    EXPECT(memcmp(y, want, sizeof y), 0);
    EXPECT(tn_stack_f32(&d, NULL, a, NULL, NULL, NULL, NULL, NULL, NULL, NULL, y, NULL, 0), TN_E_NULL);
    EXPECT(tn_stack_f32(&d, NULL, a, NULL, b, NULL, NULL, NULL, NULL, NULL, y, NULL, 0), TN_E_NULL);
    EXPECT(tn_stack_f32(&d, NULL, a, b, a, NULL, NULL, NULL, NULL, NULL, y, NULL, 0), TN_E_NULL);
    d.X_count = 0;
    EXPECT(tn_stack_shape(&d, NULL, &shape), TN_E_SHAPE);
    d.X_count = 9;
    EXPECT(tn_stack_shape(&d, NULL, &shape), TN_E_SHAPE);
    d.X_count = 8;
    EXPECT(tn_stack_shape(&d, NULL, &shape), 0);
    EXPECT(shape.dim[1], 8);
    d.P.rank = 8;
    EXPECT(tn_stack_shape(&d, NULL, &shape), TN_E_SHAPE);
}

static void splits(void)
{
    const int64_t three[3] = {2, 0, 1}, nine[9] = {1, 1, 1, 0, 0, 0, 0, 0, 0}, below[2] = {4, -1};
    const tn_split_dims d = {{1, {2}}, 3, {0, {0}}};
    tn_split_attrs at;
    float y[4], z[2];
    tn_dims first, third, last;
    tn_split_defaults(&at);
    at.axis = 1;                                            /* as the extents in front of it say */
    EXPECT(tn_split_shape(&d, NULL, &first, NULL, NULL, NULL, NULL, NULL, NULL, NULL), TN_E_NULL);
    EXPECT(tn_split_shape(&d, &at, &first, NULL, NULL, NULL, NULL, NULL, NULL, NULL), TN_E_ATTR);
    at.sizes.values = three;
    at.sizes.count = 3;
    EXPECT(tn_split_shape(&d, &at, &first, NULL, &third, NULL, NULL, NULL, NULL, &last), 0);
    EXPECT(first.rank == 2 && first.dim[0] == 2 && first.dim[1] == 2, 1);
    EXPECT(third.rank == 2 && third.dim[1] == 1, 1);
    EXPECT(last.rank == 2 && last.dim[1] == 0, 1);
    EXPECT(tn_split_f32(&d, &at, a, y, NULL, z, NULL, NULL, NULL, NULL, NULL, NULL, 0), 0);
    EXPECT(y[0] == 1 && y[1] == 2 && y[2] == 4 && y[3] == 5 && z[0] == 3 && z[1] == 6, 1);
    memset(y, 0, sizeof y);
    EXPECT(tn_split_f32(&d, &at, a, y, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0), 0);
    EXPECT(y[0] == 1 && y[3] == 5, 1);
    EXPECT(tn_split_f32(&d, &at, a, NULL, NULL, z, NULL, NULL, NULL, NULL, NULL, NULL, 0), TN_E_NULL);
    EXPECT(tn_split_f32(&d, &at, a, y, NULL, y, NULL, NULL, NULL, NULL, NULL, NULL, 0), TN_E_OVERLAP);
    EXPECT(tn_shares_f32(&(tn_shares_dims){3, 2}, &(tn_shares_attrs){{3, three}}, a, y, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0), 0);
    EXPECT(y[0] == 1.0f / 3 && y[3] == 4.0f / 3, 1);      /* the sum of all, also of those that are not there */
    at.sizes.count = 2;
    EXPECT(tn_split_f32(&d, &at, a, y, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0), TN_E_SHAPE);
    at.sizes.values = below;
    EXPECT(tn_split_f32(&d, &at, a, y, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0), TN_E_SHAPE);
    at.sizes.values = nine;
    at.sizes.count = 9;
    EXPECT(tn_split_f32(&d, &at, a, y, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0), TN_E_ATTR);
}

/* Gradients of parts come behind the input; those that are not given are 0, as long as they are the last ones. */
static void gradient_of_split(void)
{
    const int64_t sizes[3] = {2, 0, 1};
    const tn_split_grad_dims d = {{1, {2}}, 3, {0, {0}}, 2, 0, 1, 0, 0, 0, 0, 0};
    const float g0[4] = {1, 2, 3, 4}, g2[2] = {5, 6}, all[6] = {1, 2, 5, 3, 4, 6}, first[6] = {1, 2, 0, 3, 4, 0};
    tn_split_grad_attrs at;
    float dx[6];
    tn_split_grad_defaults(&at);
    at.axis = 1;
    at.sizes.values = sizes;
    at.sizes.count = 3;
    EXPECT(tn_split_grad_f32(&d, &at, a, g0, g0, g2, NULL, NULL, NULL, NULL, NULL, dx, NULL, 0), 0);
    EXPECT(memcmp(dx, all, sizeof dx), 0);
    EXPECT(tn_split_grad_f32(&d, &at, a, g0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, dx, NULL, 0), 0);
    EXPECT(memcmp(dx, first, sizeof dx), 0);
    EXPECT(tn_split_grad_f32(&d, &at, a, g0, NULL, g2, NULL, NULL, NULL, NULL, NULL, dx, NULL, 0), TN_E_NULL);
    EXPECT(tn_split_grad_f32(&d, &at, a, NULL, g0, g2, NULL, NULL, NULL, NULL, NULL, dx, NULL, 0), TN_E_NULL);
    at.sizes.count = 2;
    EXPECT(tn_split_grad_f32(&d, &at, a, g0, g0, NULL, NULL, NULL, NULL, NULL, NULL, dx, NULL, 0), TN_E_SHAPE);
}

/* A caller that gives two tensors to join passes two gradients: no more than these are looked at. */
static void gradient_of_stack(void)
{
    float first[4], second[4];
    const float dy[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t shape[2] = {2, 2}, stacked[3] = {2, 2, 2};
    const int64_t axis = 0;
    tn_tensor x = {(void *)a, {1, 0}, 2, {2, 32, 1}, shape, NULL, 0}, d = {(void *)dy, {1, 0}, 3, {2, 32, 1}, stacked, NULL, 0};
    tn_tensor dx0 = {first, {1, 0}, 2, {2, 32, 1}, shape, NULL, 0}, dx1 = {second, {1, 0}, 2, {2, 32, 1}, shape, NULL, 0};
    const tn_attr attr = {"axis", 1, &axis, NULL};
    const tn_tensor *in[9] = {&d, &x, &x};
    tn_tensor **out = malloc(2 * sizeof *out);
    const tn_kernel *kernel = tn_find("stack_grad", TN_F32, 3);
    double workspace[64];
    EXPECT(kernel != NULL && out != NULL, 1);
    out[0] = &dx0;
    out[1] = &dx1;
    EXPECT(tn_infer(kernel, in, &attr, 1, out), 0);
    EXPECT(tn_workspace(kernel, in, &attr, 1) <= (int64_t)sizeof workspace, 1);
    EXPECT(tn_call(kernel, in, &attr, 1, out, workspace, sizeof workspace), 0);
    EXPECT(memcmp(first, dy, sizeof first), 0);
    EXPECT(memcmp(second, dy + 4, sizeof second), 0);
    free(out);
}

/* Columns of a view from the last to the first, of which the first part is not asked for. */
static void split_of_a_view(void)
{
    float data[6], first[2], last[4];
    int64_t x_shape[2] = {2, 3}, x_strides[2] = {3, -1}, first_shape[2] = {2, 1}, last_shape[2] = {2, 2}, none_shape[2] = {0, 0};
    const int64_t sizes[3] = {1, 0, 2}, axis = -1;
    tn_tensor x = {data, {1, 0}, 2, {2, 32, 1}, x_shape, x_strides, 2 * sizeof(float)}, y = {first, {1, 0}, 2, {2, 32, 1}, first_shape, NULL, 0};
    tn_tensor z = {last, {1, 0}, 2, {2, 32, 1}, last_shape, NULL, 0}, none = {NULL, {1, 0}, 2, {2, 32, 1}, none_shape, NULL, 0};
    const tn_attr attrs[2] = {{"axis", 1, &axis, NULL}, {"sizes", 3, sizes, NULL}};
    const tn_tensor *in[1] = {&x};
    tn_tensor *out[8] = {&y, NULL, &z};
    const tn_kernel *kernel = tn_find("split", TN_F32, 2);
    double workspace[64];
    memcpy(data, a, sizeof data);
    EXPECT(kernel != NULL, 1);
    EXPECT(tn_workspace(kernel, in, attrs, 2) <= (int64_t)sizeof workspace, 1);
    EXPECT(tn_call(kernel, in, attrs, 2, out, workspace, sizeof workspace), 0);
    EXPECT(first[0] == 3 && first[1] == 6 && last[0] == 2 && last[1] == 1 && last[2] == 5 && last[3] == 4, 1);
    out[7] = &none;
    EXPECT(tn_infer(kernel, in, attrs, 2, out), 0);
    EXPECT(none.ndim == 2 && none_shape[0] == 2 && none_shape[1] == 0, 1);
    out[0] = NULL;
    EXPECT(tn_infer(kernel, in, attrs, 2, out), TN_E_NULL);
}

int main(void)
{
    stacks();
    splits();
    gradient_of_split();
    gradient_of_stack();
    split_of_a_view();
    return wrong;
}
